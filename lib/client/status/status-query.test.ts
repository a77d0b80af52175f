import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AnsweringServer } from '../request/answering-server.fixture.ts';
import { allowanceStatus } from './allowance-status.ts';
import { STATUS_ANSWER, STATUS_AT_MS } from './status-answer.fixture.ts';
import { statusQuery } from './status-query.ts';

const told = { body: JSON.stringify(STATUS_ANSWER) };
const status = allowanceStatus(STATUS_ANSWER);

let server: AnsweringServer;
let nowMs: number | undefined;
let queries: QueryClient;
beforeEach(async () => {
  server = await AnsweringServer.start();
  queries = new QueryClient();
  nowMs = STATUS_AT_MS;
});
afterEach(async () => {
  queries.clear();
  await server.stop();
});

/** What stands after another answer. */
async function standsAfter(answer: AnsweringServer['answer']) {
  server.answer = answer;
  const observer = new QueryObserver(queries, { ...statusQuery(server.address, () => nowMs), enabled: false });
  const { data, error } = await observer.refetch();
  return { data, failure: error && { kind: error.kind, sinceMs: error.sinceMs } };
}

describe('statusQuery', () => {
  test('an answer is told with its times as milliseconds and nothing made up where null stood', async () => {
    const { minute } = STATUS_ANSWER;
    const body = JSON.stringify({
      ...STATUS_ANSWER,
      minute: { ...minute, remaining: null, size: null },
      pace_per_minute: null,
    });
    expect(await standsAfter({ body })).toMatchObject({
      failure: null,
      data: {
        asOfMs: STATUS_AT_MS,
        minute: { remaining: undefined, size: undefined, resetsAtMs: STATUS_AT_MS + 30_000 },
        day: { remaining: 8214 },
        pacePerMinute: undefined,
        pausedUntilMs: undefined,
        areas: [
          {
            layer: 'adsb',
            bbox: { west: 6, south: 46, east: 10.5, north: 48 },
            fetchedAtMs: STATUS_AT_MS - 3000,
            nextAtMs: STATUS_AT_MS + 2000,
          },
        ],
      },
    });
  });

  test('signed out, an error, an answer that breaks off, and one that is none are told apart', async () => {
    const kindOf = async (answer: AnsweringServer['answer']) => (await standsAfter(answer)).failure?.kind;
    expect(await kindOf({ status: 401 })).toBe('signed-out');
    expect(await kindOf({ status: 500 })).toBe('refused');
    expect(await kindOf({ body: '{"as_of":', breaksOff: true })).toBe('unreachable');
    expect(await kindOf({ body: '<html>' })).toBe('unreadable');
    expect(await kindOf({ body: '{}' })).toBe('unreadable');
  });

  test('a time that is none makes the answer unreadable: it would be shown as one', async () => {
    for (const change of [{ as_of: 'yesterday' }, { paused_until: '' }]) {
      const body = JSON.stringify({ ...STATUS_ANSWER, ...change });
      expect((await standsAfter({ body })).failure?.kind).toBe('unreadable');
    }
  });

  test('a failure takes nothing away and keeps the moment at which failing began', async () => {
    await standsAfter(told);
    const sinceMs = STATUS_AT_MS + 5000;
    nowMs = sinceMs;
    expect(await standsAfter({ status: 500 })).toEqual({ data: status, failure: { kind: 'refused', sinceMs } });
    nowMs = STATUS_AT_MS + 10_000;
    expect(await standsAfter({ status: 401 })).toEqual({ data: status, failure: { kind: 'signed-out', sinceMs } });
  });

  test('an answer ends the failure, and the next one begins at its own time', async () => {
    nowMs = undefined;
    expect(await standsAfter({ status: 500 })).toEqual({
      data: null,
      failure: { kind: 'refused', sinceMs: undefined },
    });
    nowMs = STATUS_AT_MS;
    expect(await standsAfter({ status: 500 })).toEqual({
      data: null,
      failure: { kind: 'refused', sinceMs: undefined },
    });
    expect(await standsAfter(told)).toEqual({ data: status, failure: null });
    expect((await standsAfter({ status: 500 })).failure).toEqual({ kind: 'refused', sinceMs: STATUS_AT_MS });
  });

  test('while it is asked again, what failed stays said, also where nothing was ever reported', async () => {
    await standsAfter({ status: 500 });
    const asking = queries.fetchQuery(statusQuery(server.address, () => nowMs)).catch(() => undefined);
    expect(queries.getQueryState(['status'])).toMatchObject({ fetchStatus: 'fetching', error: { kind: 'refused' } });
    await asking;
  });
});

import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { AnsweringServer } from '../request/answering-server.fixture.ts';
import { STATUS_ANSWER, STATUS_AT } from './status-answer.fixture.ts';
import { allowanceStatus, statusQuery } from './status-query.ts';

const answered = { body: JSON.stringify(STATUS_ANSWER) };
const status = allowanceStatus(STATUS_ANSWER);

let server: AnsweringServer;
let now: UpstreamInstant | undefined;
let queries: QueryClient;
beforeEach(async () => {
  server = await AnsweringServer.start();
  queries = new QueryClient();
  now = STATUS_AT;
});
afterEach(async () => {
  queries.clear();
  await server.stop();
});

async function stateAfter(answer: AnsweringServer['answer']) {
  server.answer = answer;
  const observer = new QueryObserver(queries, { ...statusQuery(server.address, () => now), enabled: false });
  const { data, error } = await observer.refetch();
  return { data, failure: error && { kind: error.kind, since: error.since } };
}

describe('statusQuery', () => {
  test('an answer is converted to instants, and null to undefined', async () => {
    const { minute } = STATUS_ANSWER;
    const body = JSON.stringify({
      ...STATUS_ANSWER,
      minute: { ...minute, remaining: null, size: null },
      pace_per_minute: null,
    });
    expect(await stateAfter({ body })).toMatchObject({
      failure: null,
      data: {
        asOf: STATUS_AT,
        minute: { remaining: undefined, size: undefined, resetsAt: addMs(STATUS_AT, 30_000) },
        day: { remaining: 8214 },
        pacePerMinute: undefined,
        pausedUntil: undefined,
        areas: [
          {
            layer: 'adsb',
            bbox: { west: 6, south: 46, east: 10.5, north: 48 },
            fetchedAt: addMs(STATUS_AT, -3000),
          },
        ],
      },
    });
  });

  test('distinguishes a 401, an error, a truncated answer and an unreadable one', async () => {
    const kindOf = async (answer: AnsweringServer['answer']) => (await stateAfter(answer)).failure?.kind;
    expect(await kindOf({ status: 401 })).toBe('signed-out');
    expect(await kindOf({ status: 500 })).toBe('refused');
    expect(await kindOf({ body: '{"as_of":', breaksOff: true })).toBe('unreachable');
    expect(await kindOf({ body: '<html>' })).toBe('unreadable');
    expect(await kindOf({ body: '{}' })).toBe('unreadable');
  });

  test('an invalid time makes the answer unreadable', async () => {
    for (const change of [{ as_of: 'yesterday' }, { paused_until: '' }]) {
      const body = JSON.stringify({ ...STATUS_ANSWER, ...change });
      expect((await stateAfter({ body })).failure?.kind).toBe('unreadable');
    }
  });

  test('a failure keeps the last status and the time of the first failure', async () => {
    await stateAfter(answered);
    const since = addMs(STATUS_AT, 5000);
    now = since;
    expect(await stateAfter({ status: 500 })).toEqual({ data: status, failure: { kind: 'refused', since } });
    now = addMs(STATUS_AT, 10_000);
    expect(await stateAfter({ status: 401 })).toEqual({ data: status, failure: { kind: 'signed-out', since } });
  });

  test('an answer ends the failure, and the next failure has its own time', async () => {
    now = undefined;
    expect(await stateAfter({ status: 500 })).toEqual({
      data: null,
      failure: { kind: 'refused', since: undefined },
    });
    now = STATUS_AT;
    expect(await stateAfter({ status: 500 })).toEqual({
      data: null,
      failure: { kind: 'refused', since: undefined },
    });
    expect(await stateAfter(answered)).toEqual({ data: status, failure: null });
    expect((await stateAfter({ status: 500 })).failure).toEqual({ kind: 'refused', since: STATUS_AT });
  });

  test('the failure remains visible during the next request, even before the first answer', async () => {
    await stateAfter({ status: 500 });
    const request = queries.fetchQuery(statusQuery(server.address, () => now)).catch(() => undefined);
    expect(queries.getQueryState(['status'])).toMatchObject({ fetchStatus: 'fetching', error: { kind: 'refused' } });
    await request;
  });
});

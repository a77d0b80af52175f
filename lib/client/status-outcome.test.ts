import { describe, expect, test } from 'vitest';
import { STATUS_ANSWER, STATUS_AT_MS } from './status-answer.fixture.ts';
import { statusOutcome } from './status-outcome.ts';

const answered = (body: unknown, status = 200) => statusOutcome(Response.json(body, { status }));

describe('statusOutcome', () => {
  test('an answer is told with its times as milliseconds and nothing made up where null stood', async () => {
    const outcome = await answered({
      ...STATUS_ANSWER,
      minute: { ...STATUS_ANSWER.minute, remaining: null, size: null },
      pace_per_minute: null,
    });
    expect(outcome).toMatchObject({
      kind: 'told',
      status: {
        asOfMs: STATUS_AT_MS,
        minute: { remaining: undefined, size: undefined, resetsAtMs: STATUS_AT_MS + 30_000 },
        day: { remaining: 8214 },
        pacePerMinute: undefined,
        heldUntilMs: undefined,
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

  test('signed out, an error, and an answer that is not one are told apart', async () => {
    expect(await answered({}, 401)).toEqual({ kind: 'signed-out' });
    expect(await answered({}, 404)).toEqual({ kind: 'failed' });
    expect(await answered({}, 500)).toEqual({ kind: 'failed' });
    expect(await answered({ as_of: 'now' })).toEqual({ kind: 'unreadable' });
    expect(await statusOutcome(new Response('<html>'))).toEqual({ kind: 'unreadable' });
  });

  test('a time that is none makes the answer unreadable: it would be shown as one', async () => {
    expect(await answered({ ...STATUS_ANSWER, as_of: 'yesterday' })).toEqual({ kind: 'unreadable' });
    expect(await answered({ ...STATUS_ANSWER, held_until: '' })).toEqual({ kind: 'unreadable' });
  });
});

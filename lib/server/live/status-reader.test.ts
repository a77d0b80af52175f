import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness({ allowance: { perMinute: 60, perDay: 5000 } });
});
afterEach(() => live.close());

/** Parsed as a browser parses it. */
const status = async () => statusAnswerSchema.parse(await live.status.read());

describe('the status', () => {
  test('is null before the first answer, not 0', async () => {
    const { minute, day, pace_per_minute, layers, areas, viewers } = await status();
    expect([minute.remaining, minute.size, day.remaining, day.size, pace_per_minute]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect([layers.rid.state, layers.adsb.state, areas, viewers]).toEqual(['unknown', 'unknown', [], 0]);
  });

  test('reports the headers, the spending, and each area with its viewers, cost, interval and age', async () => {
    await live.read();
    const answer = await status();
    expect(answer.minute).toMatchObject({ remaining: 58, reserved: 0, resets_at: '2026-11-21T12:01:00.000Z' });
    expect(answer.day).toMatchObject({ remaining: 4998, reserved: 0, resets_at: '2026-11-22T00:00:00.000Z' });
    expect(answer.spent_today).toBe(2);
    expect(answer.layers).toMatchObject({ rid: { state: 'ok' }, adsb: { state: 'ok' } });
    expect(answer.areas.map(({ layer, viewers, cost, records }) => [layer, viewers, cost, records])).toEqual([
      ['rid', 1, 1, 3],
      ['adsb', 1, 1, 3],
    ]);
    for (const { fetched_at, reason, until, interval_ms } of answer.areas) {
      expect(fetched_at).toBe('2026-11-21T12:00:10.000Z');
      expect(reason).toBe('not_due');
      expect(Date.parse(until ?? '') - Date.parse(fetched_at ?? '')).toBe(interval_ms);
    }
  });

  test('includes another consumer’s spending with the next header', async () => {
    await live.read();
    const url = `${live.service.baseUrl}/live/rid?bbox=1,1,2,2`;
    for (let request = 0; request < 20; request++) {
      await fetch(url, { headers: { authorization: `Bearer ${live.service.apiKey}` } });
    }
    live.moveClock(20_000);
    await live.read();
    const { minute, spent_today } = await status();
    expect([minute.remaining, spent_today]).toEqual([60 - 24, 4]);
  });

  test('costs no upstream request', async () => {
    await live.read();
    live.service.clearRequests();
    for (let reads = 0; reads < 50; reads++) await status();
    expect(live.service.requests()).toEqual([]);
  });

  test('reports a pause with its end, and a refused key', async () => {
    live.service.setFault({ kind: 'status', status: 429, retry_after: '300', times: 1 });
    await live.read();
    expect((await status()).paused_until).toBe('2026-11-21T12:05:10.000Z');
    live.moveClock(301_000);
    live.service.setFault({ kind: 'status', status: 401 });
    await live.read();
    expect(await status()).toMatchObject({ paused_until: null, key_refused: true });
  });
});

describe('a denied layer', () => {
  beforeEach(() => live.service.setFault({ kind: 'status', status: 403, operation: 'live_rid' }));

  test('is reported as denied, with the time of the next try', async () => {
    await live.read();
    expect((await status()).layers.rid).toEqual({
      state: 'denied',
      reason: 'layer_not_approved',
      since: '2026-11-21T12:00:10.000Z',
      until: '2026-11-21T12:15:10.000Z',
      reception: null,
    });
  });

  test('is not a way to refresh areas that are in order', async () => {
    live.service.clearFault();
    await live.read();
    live.service.clearRequests();
    expect(live.status.recheck('adsb')).toBe(0);
    await live.scheduler.idle();
    expect(live.service.requests()).toEqual([]);
  });

  test('is tried again at an operator’s request, by one request, and at most once a minute', async () => {
    await live.read();
    live.service.clearRequests();
    expect(live.status.recheck('rid')).toBe(0);
    await live.scheduler.idle();
    expect(live.countOf('live_rid')).toBe(1);
    expect(live.status.recheck('rid')).toBe(60_000);
    live.service.clearFault();
    live.moveClock(60_000);
    await live.read();
    expect((await status()).layers.rid.state).toBe('denied');
    expect(live.status.recheck('rid')).toBe(0);
    await live.scheduler.idle();
    expect((await status()).layers.rid.state).toBe('ok');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness({ allowance: { perMinute: 60, perDay: 5000 } });
});
afterEach(() => live.close());

/** As a browser reads it. */
const status = async () => statusAnswerSchema.parse(await live.status.read());

describe('the status', () => {
  test('before the first answer knows nothing, and says so with null and not with 0', async () => {
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

  test('tells what the headers told, what was spent, and each area with its viewers, cost, interval and age', async () => {
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
    for (const { fetched_at, next_at, interval_ms } of answer.areas) {
      expect(fetched_at).toBe('2026-11-21T12:00:10.000Z');
      expect(Date.parse(next_at ?? '') - Date.parse(fetched_at ?? '')).toBe(interval_ms);
    }
  });

  test('of another consumer’s spending is known what the next header tells', async () => {
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

  test('asking for it costs the upstream nothing', async () => {
    await live.read();
    live.service.clearRequests();
    for (let asked = 0; asked < 50; asked++) await status();
    expect(live.service.requests()).toEqual([]);
  });

  test('tells what is held and until when, and that a key is refused', async () => {
    live.service.setFault({ kind: 'status', status: 429, retry_after: '300', times: 1 });
    await live.read();
    expect((await status()).paused_until).toBe('2026-11-21T12:05:10.000Z');
    live.moveClock(301_000);
    live.service.setFault({ kind: 'status', status: 401 });
    await live.read();
    expect(await status()).toMatchObject({ paused_until: null, key_refused: true });
  });
});

describe('a layer that was denied', () => {
  beforeEach(() => live.service.setFault({ kind: 'status', status: 403, operation: 'live_rid' }));

  test('is told as denied, with when it is tried again', async () => {
    await live.read();
    expect((await status()).layers.rid).toEqual({
      state: 'denied',
      reason: 'layer_not_approved',
      since: '2026-11-21T12:00:10.000Z',
      until: '2026-11-21T12:15:10.000Z',
    });
  });

  test('is tried again at an operator’s word, by one request, and at most once a minute', async () => {
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

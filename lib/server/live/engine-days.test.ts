import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { msBetween } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
afterEach(() => live.close());

const refusedForAllowance = () => live.logged.filter((line) => line.includes('"status":429'));

async function anotherConsumer(times: number): Promise<void> {
  for (let sent = 0; sent < times; sent++) {
    const answer = await request(`${live.service.baseUrl}/live/rid?bbox=1,1,2,2`, {
      headers: { authorization: `Bearer ${live.service.apiKey}` },
    });
    await answer.body.dump();
  }
}

describe('a virtual clock, the real service', () => {
  test('an hour of outage: never shown as fresh, at most two requests a minute, fresh again within one interval', async () => {
    live = await startLiveHarness();
    await live.poll(MINUTE_MS);
    live.service.setFault({ kind: 'status', status: 503 });
    live.moveClock(20_000);
    live.service.clearRequests();
    const before = await live.read();
    for (let minute = 0; minute < 60; minute++) {
      await live.poll(MINUTE_MS, 15_000);
      const { layers } = await live.read();
      expect(layers.adsb?.state).toBe('stale');
      expect(layers.adsb?.fetched_at).toBe(before.layers.adsb?.fetched_at);
    }
    expect(live.service.requests().length).toBeLessThanOrEqual(60 * 2 + 20);
    live.service.clearFault();
    await live.poll(MINUTE_MS + 5000);
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
  });

  test('a small daily allowance lasts until midnight without a refusal, and is fresh again after it', async () => {
    live = await startLiveHarness({ allowance: { perMinute: 60, perDay: 200 } });
    // Steps are longer than the shortest interval, shorter than the day allows.
    const readEvery = async (ms: number, stepMs: number) => {
      const states = new Set<string | undefined>();
      for (let at = 0; at < ms; at += stepMs) {
        states.add((await live.read()).layers.adsb?.state);
        live.moveClock(stepMs);
      }
      return states;
    };
    await readEvery(12 * HOUR_MS - 5 * MINUTE_MS, 20_000);
    const spent = live.service.requests().length;
    expect(refusedForAllowance()).toEqual([]);
    expect(spent).toBeGreaterThanOrEqual(0.9 * 200);
    expect(spent).toBeLessThanOrEqual(200);
    live.service.clearRequests();
    await readEvery(15 * MINUTE_MS, 20_000);
    expect((await live.read()).layers.adsb).toMatchObject({
      reason: null,
      fetched_at: expect.stringMatching(/^2026-11-22T00:0/),
    });
    expect(refusedForAllowance()).toEqual([]);
  });

  test('another consumer uses up the minute: we wait for the next one, and report that', async () => {
    live = await startLiveHarness({ allowance: { perMinute: 30, perDay: 100_000 } });
    await live.poll(20_000);
    await anotherConsumer(30);
    await live.poll(20_000);
    // One refusal is enough to notice the other consumer.
    expect(refusedForAllowance()).toHaveLength(1);
    const { layers } = await live.read();
    expect([layers.adsb?.state, layers.adsb?.reason]).toEqual(['limited', 'allowance_used_up']);
    expect(layers.adsb?.until).toBe('2026-11-21T12:01:00.000Z');
    expect(layers.adsb?.records).toHaveLength(3);
    await live.poll(25_000);
    expect((await live.read()).layers.adsb?.state).toBe('fresh');
  });

  test('another consumer uses up the day: no request until midnight UTC, then fresh again', async () => {
    live = await startLiveHarness({ allowance: { perMinute: 600, perDay: 300 } });
    await live.poll(MINUTE_MS);
    await anotherConsumer(300);
    await live.poll(30 * MINUTE_MS, 15_000);
    expect(refusedForAllowance()).toHaveLength(1);
    live.service.clearRequests();
    await live.poll(30 * MINUTE_MS, 15_000);
    expect(live.service.requests()).toEqual([]);
    expect((await live.read()).layers.adsb?.state).toBe('limited');
    live.moveClock(12 * HOUR_MS);
    await live.poll(2 * MINUTE_MS);
    expect((await live.read()).layers.adsb).toMatchObject({
      reason: null,
      fetched_at: expect.stringMatching(/^2026-11-22/),
    });
  });

  test('without viewers: sends no requests from a minute after the last poll', async () => {
    live = await startLiveHarness();
    await live.poll(MINUTE_MS);
    const quiet = async (ms: number) => {
      for (let at = 0; at < ms; at += 1000) {
        live.moveClock(1000);
        await live.scheduler.tick();
        await live.scheduler.idle();
      }
    };
    await quiet(MINUTE_MS);
    live.service.clearRequests();
    await quiet(10 * MINUTE_MS);
    expect(live.service.requests()).toEqual([]);
    expect(live.scheduler.nextTickInMs()).toBeUndefined();
  });

  test('without viewers: snapshots expire, even if no viewer returns', async () => {
    live = await startLiveHarness();
    await live.poll(MINUTE_MS);
    const kept = async () => {
      const everywhere = { west: -180, south: -90, east: 180, north: 90 };
      return (await live.snapshots.intersecting('adsb', everywhere)).length;
    };
    expect(await kept()).toBeGreaterThan(0);
    const leftAtMs = live.now();
    for (let nextMs = live.scheduler.nextTickInMs(); nextMs !== undefined; nextMs = live.scheduler.nextTickInMs()) {
      live.moveClock(Math.max(1, nextMs));
      await live.scheduler.tick();
      await live.scheduler.idle();
    }
    expect(await kept()).toBe(0);
    expect(msBetween(leftAtMs, live.now())).toBeLessThanOrEqual(5 * MINUTE_MS);
  });

  test('late and out-of-order answers never make the picture look younger than it is', async () => {
    live = await startLiveHarness({ source: steadyTraffic(3) });
    await live.read();
    live.service.setFault({ kind: 'hold', times: 1 });
    live.moveClock(5000);
    // Records keep their request's time.
    const slow = live.reader.read(
      { operator: 'local', session: undefined, page: 'only' },
      { west: 8, south: 47, east: 9, north: 48 },
      ['adsb'],
    );
    await live.scheduler.tick();
    live.moveClock(3000);
    live.service.clearFault();
    await slow;
    await live.scheduler.idle();
    const { layers, as_of } = await live.read();
    expect(Date.parse(as_of) - Date.parse(layers.adsb?.fetched_at ?? '')).toBeGreaterThanOrEqual(0);
    for (const record of layers.adsb?.records ?? []) {
      expect(Date.parse(record.observed_at)).toBeLessThanOrEqual(Date.parse(layers.adsb?.fetched_at ?? ''));
    }
  });
});

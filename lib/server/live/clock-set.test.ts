import { afterEach, describe, expect, test } from 'vitest';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
afterEach(() => live.close());

const SIZES = [MINUTE_MS, HOUR_MS, 13 * HOUR_MS, 40 * DAY_MS];
const ages = (answer: Awaited<ReturnType<LiveHarness['read']>>) =>
  (answer.layers.adsb?.records ?? []).map(
    ({ observed_at }) => epochMs(instantOf(answer.as_of)) - epochMs(instantOf(observed_at as string)),
  );

describe("where the upstream's clock is set", () => {
  test.each([...SIZES, ...SIZES.map((ms) => -ms)])('by %i ms, requests go on at their intervals', async (ms) => {
    live = await startLiveHarness();
    await live.poll(MINUTE_MS);
    const before = live.countOf('live_adsb');
    await live.poll(MINUTE_MS);
    const perMinute = live.countOf('live_adsb') - before;
    live.setServiceClock(ms);
    await live.poll(MINUTE_MS);
    expect(live.countOf('live_adsb') - before - perMinute).toBeGreaterThanOrEqual(perMinute - 1);
    const answer = await live.read();
    expect(answer.layers.adsb?.state).toBe('fresh');
    for (const age of ages(answer)) expect(age).toBeLessThan(30_000);
  });

  test.each(SIZES)('back by %i ms, a place that is not read again keeps its age', async (ms) => {
    live = await startLiveHarness();
    const elsewhere = { west: 8, south: 47, east: 8.6, north: 48 };
    await live.read(elsewhere, ['rid']);
    live.moveClock(20_000);
    live.setServiceClock(-ms);
    // Only the other layer's answer shows the clock.
    await live.read({ west: 8, south: 47, east: 9, north: 48 }, ['adsb'], {
      operator: 'local',
      session: undefined,
      page: 'another',
    });
    const found = await live.snapshots.intersecting('rid', elsewhere);
    const now = epochMs(live.client.clock.now());
    for (const { fetchedAt, positions } of found) {
      const ageMs = now - epochMs(fetchedAt);
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(ageMs).toBeLessThan(30_000);
      for (const { observedAt } of positions.values()) expect(now - epochMs(observedAt)).toBeGreaterThanOrEqual(0);
    }
    expect(found.length).toBeGreaterThan(0);
  });
});

describe('where the machine of the app was suspended', () => {
  test.each(SIZES)('for %i ms, nothing that was read before is fresh, until it is read again', async (ms) => {
    live = await startLiveHarness();
    const before = await live.read();
    expect(before.layers.adsb?.state).toBe('fresh');
    // Its monotonic clock stood still, the upstream's went on.
    live.setServiceClock(ms);
    live.client.clock.mayHaveMissed(ms);
    const viewer = { operator: 'local', session: undefined, page: 'only' };
    const resumed = await live.reader.read(viewer, { west: 8, south: 47, east: 9, north: 48 }, ['adsb']);
    expect(resumed.layers.adsb?.state).toBe('stale');
    for (const age of ages(resumed)) expect(age).toBeGreaterThanOrEqual(ms);
    live.moveClock(6000);
    const again = await live.read();
    expect(again.layers.adsb?.state).toBe('fresh');
    for (const age of ages(again)) expect(age).toBeLessThan(10_000);
  });

  test('a clock that was only set forward makes positions look old until the next answer, and no longer', async () => {
    live = await startLiveHarness();
    await live.read();
    live.client.clock.mayHaveMissed(40 * DAY_MS);
    live.moveClock(6000);
    const answer = await live.read();
    expect(answer.layers.adsb?.state).toBe('fresh');
    for (const age of ages(answer)) expect(age).toBeLessThan(10_000);
  });
});

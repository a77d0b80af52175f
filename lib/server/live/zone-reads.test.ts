import { afterEach, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { LAYERS } from '#lib/model/position.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

const ZONE: Bbox = { west: 8.45, south: 47.4, east: 8.6, north: 47.6 };
const boxes = LAYERS.map((layer) => ({ layer, bbox: ZONE }));

let live: LiveHarness;
afterEach(() => live.close());

/** Lets time pass without viewers. @returns requests for each layer */
async function quiet(ms: number, stepMs = 1000): Promise<readonly number[]> {
  live.service.clearRequests();
  for (let at = 0; at < ms; at += stepMs) {
    live.moveClock(stepMs);
    await live.scheduler.tick();
    await live.scheduler.idle();
  }
  return LAYERS.map((layer) => live.countOf(`live_${layer}`));
}

test('zones are read every five seconds without viewers, and no more once they are gone', async () => {
  live = await startLiveHarness({ allowance: { perMinute: 600, perDay: 100_000 } });
  live.scheduler.watch(boxes);
  await quiet(MINUTE_MS);
  expect(await quiet(5 * MINUTE_MS)).toEqual([60, 60]);
  live.scheduler.watch([]);
  await quiet(2 * MINUTE_MS);
  expect(await quiet(10 * MINUTE_MS)).toEqual([0, 0]);
  expect(live.scheduler.nextTickInMs()).toBeUndefined();
});

test('zones without viewers leave an operator who comes later as much as they use', async () => {
  live = await startLiveHarness({ allowance: { perMinute: 60, perDay: 2000 } });
  live.scheduler.watch(boxes);
  await quiet(MINUTE_MS);
  const spent = (await quiet(6 * HOUR_MS, 30_000)).reduce((sum, each) => sum + each);
  // The account had all of it at noon. Half of the rate is kept for an operator, and rises while none comes: 1 - √½ of it is spent.
  expect(spent).toBeGreaterThan(0.2 * 2000);
  expect(spent).toBeLessThanOrEqual(0.3 * 2000);
  expect(live.logged.filter((line) => line.includes('"status":429'))).toEqual([]);
});

test('a viewer and a zone at one place cost one refresh, as often as the viewer alone would have it', async () => {
  live = await startLiveHarness({ allowance: { perMinute: 600, perDay: 100_000 } });
  await live.poll(MINUTE_MS);
  live.service.clearRequests();
  await live.poll(2 * MINUTE_MS);
  const alone = live.countOf('live_rid');
  live.scheduler.watch(boxes);
  await live.poll(MINUTE_MS);
  live.service.clearRequests();
  await live.poll(2 * MINUTE_MS);
  expect(live.countOf('live_rid')).toBe(alone);
  expect(new Set(live.scheduler.jobs.map(({ area }) => area.layer)).size).toBe(live.scheduler.jobs.length);
});

import { afterEach, expect, test } from 'vitest';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

let live: LiveHarness;
afterEach(() => live.close());

const PER_TRACK = 0.3;

test('the part of a box that is read live says how much traffic the whole box has, unless it is less than half', async () => {
  live = await startLiveHarness({ source: steadyTraffic(200) });
  await live.poll(5000);
  const [area] = live.scheduler.jobs.map(({ area: { bbox } }) => bbox);
  if (!area) throw new Error('nothing is read');
  const widened = (times: number) =>
    live.scheduler.expectedPerSecond('adsb', { ...area, east: area.west + times * (area.east - area.west) });
  expect(widened(1)).toBeCloseTo(200 * PER_TRACK, 6);
  expect(widened(1.8)).toBeCloseTo(1.8 * 200 * PER_TRACK, 6);
  expect(widened(2.2)).toBeUndefined();
});

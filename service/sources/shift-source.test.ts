import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { historyTimes } from './history-times.ts';
import { shiftSource } from './shift-source.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const BOX = { west: 8, south: 47, east: 9, north: 48 };

test('a shifted source shifts every time, in live, in history and in history times', async () => {
  const source = listedSource([0, 1000, 2000].map((ms) => observation({ observedAt: addMs(NOON, ms) })));
  const shifted = shiftSource(source, 3_600_000);
  const window = { start: addMs(NOON, 3_600_000), end: addMs(NOON, 3_602_000) };
  const times = [addMs(NOON, 3_600_000), addMs(NOON, 3_601_000)];
  const { observations } = await shifted.history('adsb', BOX, window, 10);
  expect(observations.map(({ observedAt }) => observedAt)).toEqual(times);
  expect(await historyTimes(shifted, 'adsb', BOX, window, 10)).toEqual(times);
  expect(shifted.live('adsb', BOX, addMs(NOON, 3_601_500)).map(({ observedAt }) => observedAt)).toEqual([times[1]]);
});

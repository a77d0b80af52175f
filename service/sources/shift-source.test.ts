import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';
import { historyTimes } from './observation.ts';
import { shiftSource } from './shift-source.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const BOX = { west: 8, south: 47, east: 9, north: 48 };

test('a source without receivers has no reception when shifted, and one with them has shifted times', async () => {
  const source = listedSource([]);
  expect(shiftSource(source, 3_600_000).reception).toBeUndefined();
  expect(shiftSource(source, 3_600_000).pastReception).toBeUndefined();
  const shifted = shiftSource(
    {
      ...source,
      reception: (_layer, _bbox, now) => ({ state: 'ok', since: now, receivers: 1, receiving: 1 }),
      pastReception: (_layer, _bbox, { start, end }) => [{ from: start, to: end, state: 'lost' }],
    },
    3_600_000,
  );
  expect(shifted.reception?.('adsb', BOX, NOON)).toEqual({ state: 'ok', since: NOON, receivers: 1, receiving: 1 });
  const window = { start: NOON, end: addMs(NOON, 1000) };
  expect(await shifted.pastReception?.('adsb', BOX, window)).toEqual([
    { from: window.start, to: window.end, state: 'lost' },
  ]);
});

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

test('a shifted source says when its history is not whole', async () => {
  const source = { ...listedSource([]), history: async () => ({ observations: [], more: false, isWhole: false }) };
  const window = { start: NOON, end: addMs(NOON, 1000) };
  expect(await shiftSource(source, 1000).history('adsb', BOX, window, 10)).toMatchObject({ isWhole: false });
});

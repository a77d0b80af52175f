import { expect, test } from 'vitest';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { nearestDrones } from './nearest-drones.ts';
import { NO_TRACKS } from './pictured-tracks.ts';
import { makeTrackColumns } from './track-columns.ts';

test('lists the nearest drones, nearest first, and no aircraft', () => {
  const lats = [47.5, 47.1, 47.3, 47.01, 47.2];
  const columns = makeTrackColumns(lats.length);
  columns.end = lats.length;
  for (const [slot, lat] of lats.entries()) {
    columns.used[slot] = 1;
    columns.lon[slot] = 8;
    columns.lat[slot] = lat;
    columns.style[slot] = lat === 47.01 ? 0 : FLAG_DRONE;
  }
  const from = { lon: 8, lat: 47 };
  const moment = { ...NO_TRACKS, columns };
  expect(nearestDrones(moment, from, 3).map(({ slot }) => lats[slot])).toEqual([47.1, 47.2, 47.3]);
  expect(nearestDrones(moment, from, 9)).toHaveLength(4);
  expect(nearestDrones(moment, from, 1)[0]?.distanceM).toBeCloseTo(11_119, -1);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Reach } from './reception.ts';

const anyLon = fc.double({ min: -180, max: 180, noNaN: true });
const anyLat = fc.double({ min: -90, max: 90, noNaN: true });
const anyBox = fc
  .record({ west: anyLon, south: anyLat, width: fc.double({ min: 0, max: 30, noNaN: true }) })
  .map(({ west, south, width }) => ({
    west,
    south: Math.max(-90, south - width),
    east: west + width > 180 ? west + width - 360 : west + width,
    north: Math.min(90, south + width),
  }));

function reachOf(lon: number, lat: number, positions = 20): Reach {
  const reach = new Reach();
  for (let position = 0; position < positions; position += 1) reach.note('roof', 'adsb', lon, lat);
  return reach;
}

test('a feed reaches a box around its positions, and the boxes next to it', () => {
  fc.assert(
    fc.property(anyLon, anyLat, fc.double({ min: 0, max: 2, noNaN: true }), (lon, lat, awayDeg) => {
      const west = lon + awayDeg > 180 ? lon + awayDeg - 360 : lon + awayDeg;
      const south = Math.min(90, lat + awayDeg);
      const box = { west, south, east: west, north: south };
      expect(reachOf(lon, lat).touches('roof', 'adsb', box)).toBe(true);
      expect(reachOf(lon, lat, 19).touches('roof', 'adsb', box)).toBeUndefined();
      expect(reachOf(lon, lat).touches('roof', 'rid', box)).toBeUndefined();
      expect(reachOf(lon, lat).touches('hill', 'adsb', box)).toBeUndefined();
    }),
  );
});

test('a box is out of reach if it is 5° away from all places, and never if it has one', () => {
  fc.assert(
    fc.property(anyBox, anyLon, anyLat, (box, lon, lat) => {
      const east = box.east < box.west ? box.east + 360 : box.east;
      const lons = [lon - 360, lon, lon + 360].map((each) => Math.max(box.west - each, each - east));
      const awayDeg = Math.max(Math.min(...lons), box.south - lat, lat - box.north);
      const touches = reachOf(lon, lat).touches('roof', 'adsb', box);
      if (awayDeg <= 0) expect(touches).toBe(true);
      if (awayDeg > 5) expect(touches).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

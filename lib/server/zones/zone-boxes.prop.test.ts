import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { bboxContains, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { shapeBox, shapeCentre } from '#lib/zones/shape-box.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { newZone } from './new-zone.fixture.ts';
import { zoneBoxes } from './zone-boxes.ts';

const near = (from: number, by: number) => fc.double({ min: from - by, max: from + by, noNaN: true });

const places = fc.record({
  corners: fc
    .tuple(fc.constantFrom(-179.9, 0, 8.5, 179.9), fc.constantFrom(-70, 0, 47, 75))
    .chain(([lon, lat]) =>
      fc.array(fc.tuple(near(lon, 3).map(wrapLongitude), near(lat, 3)), { minLength: 2, maxLength: 6 }),
    ),
  distanceM: fc.double({ min: 1, max: 100_000, noNaN: true }),
  courseDeg: fc.double({ min: 0, max: 360, noNaN: true }),
});

function expectAround(shape: ZoneShape, corners: readonly [number, number][], distanceM: number, courseDeg: number) {
  const box = shapeBox(shape, 0);
  const { lon: middleLon, lat: middleLat } = shapeCentre(shape);
  expect(bboxContains(box, middleLon, middleLat)).toBe(true);
  for (const [lon, lat] of corners) {
    expect(bboxContains(box, lon, lat)).toBe(true);
    const edge = destination({ lon, lat }, courseDeg, distanceM * 0.999);
    expect(bboxContains(box, edge.lon, edge.lat)).toBe(true);
  }
}

test('a box has its centre, and all places within the distance of a circle’s centre or a corridor’s corners', () => {
  fc.assert(
    fc.property(places, ({ corners, distanceM, courseDeg }) => {
      const [centre] = corners as [[number, number]];
      expectAround({ type: 'Circle', centre, radius_m: distanceM }, [centre], distanceM, courseDeg);
      expectAround({ type: 'Corridor', line: corners, half_width_m: distanceM }, corners, distanceM, courseDeg);
    }),
  );
});

test('a polygon across 180° has a box across it, no wider than the polygon', () => {
  const ring: [number, number][] = [
    [179, 0],
    [-179, 0],
    [-179, 1],
    [179, 1],
    [179, 0],
  ];
  const box = shapeBox({ type: 'Polygon', coordinates: [ring] }, 0);
  expect([box.west, box.east]).toEqual([179, -179]);
});

test('the boxes of a zone are within the limits of a request, and only for the layers of its rules', () => {
  fc.assert(
    fc.property(places, ({ corners }) => {
      const shape: ZoneShape = { type: 'Corridor', line: [...corners, [-100, 20]], half_width_m: 100 };
      const boxes = zoneBoxes(newZone({ shape, rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] }));
      expect(boxes.length).toBeGreaterThan(0);
      for (const { layer, bbox } of boxes) {
        expect(layer).toBe('rid');
        expect(bbox.west).toBeLessThan(bbox.east);
        expect(lonSpanDeg(bbox)).toBeLessThanOrEqual(LIVE_MAX_SPAN_DEG);
        expect(latSpanDeg(bbox)).toBeLessThanOrEqual(LIVE_MAX_SPAN_DEG);
      }
    }),
  );
  expect(zoneBoxes(newZone({ rules: [] }))).toEqual([]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bboxContains } from '#lib/geo/bbox.ts';
import { askedBox, contains, covers, touches } from './box-in-steps.ts';

const stepsPerDeg = fc.constantFrom(1e6, 1e7);
const deg = (max: number) =>
  fc.oneof(
    fc.double({ min: -max, max, noNaN: true }),
    fc.integer({ min: -max, max }),
    fc.integer({ min: -max * 1e7, max: max * 1e7 }).map((steps) => steps / 1e7),
  );
const bbox = fc
  .tuple(deg(180), deg(180), deg(90), deg(90))
  .filter(([west, east, south, north]) => west !== east && south !== north)
  .map(([a, b, c, d]) => ({
    west: Math.min(a, b),
    east: Math.max(a, b),
    south: Math.min(c, d),
    north: Math.max(c, d),
  }));

test('contains what bboxContains says of the degrees, at the edges too', () => {
  fc.assert(
    fc.property(
      bbox,
      stepsPerDeg,
      deg(180),
      deg(90),
      fc.integer({ min: -2, max: 2 }),
      (box, steps, lonDeg, latDeg, off) => {
        const asked = askedBox(box, steps);
        for (const [edgeLon, edgeLat] of [
          [lonDeg, latDeg],
          [box.west, box.south],
          [box.east, box.north],
          [180, box.south],
          [-180, box.north],
        ] as const) {
          const lon = Math.max(-180 * steps, Math.min(180 * steps, Math.round(edgeLon * steps) + off));
          const lat = Math.max(-90 * steps, Math.min(90 * steps, Math.round(edgeLat * steps) + off));
          expect(contains(asked, lon, lat)).toBe(bboxContains(box, lon / steps, lat / steps));
        }
      },
    ),
  );
});

test('a box around positions is touched if one of them is contained, and covered only if all are', () => {
  const points = fc.array(fc.tuple(deg(180), deg(90)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(bbox, stepsPerDeg, points, (box, steps, degrees) => {
      const asked = askedBox(box, steps);
      const places = degrees.map(([lon, lat]) => [Math.round(lon * steps), Math.round(lat * steps)] as const);
      const [lons, lats] = [places.map(([lon]) => lon), places.map(([, lat]) => lat)];
      const around = {
        west: Math.min(...lons),
        east: Math.max(...lons),
        south: Math.min(...lats),
        north: Math.max(...lats),
      };
      const contained = places.filter(([lon, lat]) => contains(asked, lon, lat)).length;
      if (contained > 0) expect(touches(asked, around)).toBe(true);
      if (covers(asked, around)) expect(contained).toBe(places.length);
    }),
  );
});

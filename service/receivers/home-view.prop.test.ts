import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bboxContains, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { boxOfMost } from './home-view.ts';

/** Steps of 1/1024°, in which sums are exact. */
const deg = (max: number) => fc.integer({ min: -max * 1024, max: max * 1024 }).map((steps) => steps / 1024);
const place = fc.record({ lon: deg(180), lat: deg(90) });

test('contains at least nineteen of twenty places', () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 60 }), (places) => {
      const box = boxOfMost(places)!;
      const outside = places.filter(({ lon, lat }) => !bboxContains(box, lon, lat));
      expect(outside.length).toBeLessThanOrEqual(places.length * 0.2);
      expect(box.north).toBeGreaterThan(box.south);
      expect(lonSpanDeg(box)).toBeGreaterThan(0);
      for (const edge of [box.west, box.east]) expect(Math.abs(edge)).toBeLessThanOrEqual(180);
    }),
  );
});

test('is as wide across 180° as elsewhere', () => {
  const around = fc.array(fc.record({ lon: deg(20), lat: fc.constant(40) }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(around, fc.integer({ min: -180, max: 180 }), (places, centre) => {
      const moved = places.map(({ lon, lat }) => ({ lon: wrapLongitude(lon + centre), lat }));
      expect(lonSpanDeg(boxOfMost(moved)!)).toBeCloseTo(lonSpanDeg(boxOfMost(places)!), 6);
    }),
  );
});

test('ignores one distant place, and is undefined without places', () => {
  const near = Array.from({ length: 40 }, (_, index) => ({ lon: 8 + index / 20, lat: 47 }));
  const box = boxOfMost([...near, { lon: -120, lat: 10 }])!;
  expect(lonSpanDeg(box)).toBeLessThan(2.1);
  expect(latSpanDeg(box)).toBe(1);
  expect(boxOfMost([])).toBeUndefined();
});

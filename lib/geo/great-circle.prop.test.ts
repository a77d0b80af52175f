import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, longitude } from './arbitrary-bbox.fixture.ts';
import { bearingDeg, destination, distanceM, EARTH_RADIUS_M } from './great-circle.ts';

const place = fc.record({
  lon: longitude,
  lat: decimal(-89, 89),
});

describe('great circle', () => {
  test('a destination has the given distance and bearing', () => {
    const course = decimal(0, 359.999);
    const metres = fc.double({ min: 10, max: 5_000_000, noNaN: true });
    fc.assert(
      fc.property(place, course, metres, (from, bearing, distance) => {
        const to = destination(from, bearing, distance);
        expect(Math.abs(distanceM(from, to) - distance)).toBeLessThan(0.01);
        const turnedDeg = Math.abs(bearingDeg(from, to) - bearing);
        expect(Math.min(turnedDeg, 360 - turnedDeg)).toBeLessThan(0.01);
      }),
    );
  });

  test('distances are symmetric, and at most half of the circumference', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        expect(distanceM(one, other)).toBeCloseTo(distanceM(other, one), 3);
        expect(distanceM(one, other)).toBeLessThanOrEqual(Math.PI * EARTH_RADIUS_M);
      }),
    );
  });

  test('measures the short way across 180°', () => {
    expect(distanceM({ lon: 179.5, lat: 0 }, { lon: -179.5, lat: 0 })).toBeCloseTo((EARTH_RADIUS_M * Math.PI) / 180, 3);
    expect(destination({ lon: 179.9, lat: 0 }, 90, 50_000).lon).toBeLessThan(0);
  });
});

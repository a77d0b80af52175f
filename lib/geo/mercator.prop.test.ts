import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { nearestCopy } from './longitude.ts';
import { mercatorX, mercatorY, nearestX } from './mercator.ts';

describe('mercator', () => {
  test('every point on Earth, including the poles, maps to 0…1', () => {
    fc.assert(
      fc.property(longitude, latitude, (lonDeg, latDeg) => {
        for (const value of [mercatorX(lonDeg), mercatorY(latDeg)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
      {
        examples: [
          [180, 90],
          [-180, -90],
          [180, -85.06],
        ],
      },
    );
  });

  test('y never increases with latitude', () => {
    fc.assert(
      fc.property(latitude, latitude, (one, other) => {
        expect(mercatorY(Math.max(one, other))).toBeLessThanOrEqual(mercatorY(Math.min(one, other)));
      }),
    );
  });

  test('the nearest x is that of the nearest copy of the longitude', () => {
    fc.assert(
      fc.property(longitude, longitude, (lonDeg, nearDeg) => {
        const x = nearestX(mercatorX(lonDeg), mercatorX(nearDeg));
        expect(Math.abs(x - mercatorX(nearDeg))).toBeLessThanOrEqual(0.5 + 1e-12);
        const copy = mercatorX(nearestCopy(lonDeg, nearDeg));
        // Half a turn away, two copies are the nearest.
        expect(x - copy).toBeCloseTo(Math.abs(x - mercatorX(nearDeg)) > 0.5 - 1e-12 ? Math.round(x - copy) : 0, 12);
      }),
      {
        examples: [
          [180, -180],
          [-179.9999998, 2e-7],
        ],
      },
    );
    expect(nearestX(0.25, 7.5)).toBe(7.25);
  });

  test('the equator and the prime meridian are in the middle', () => {
    expect(mercatorX(0)).toBe(0.5);
    expect(mercatorY(0)).toBeCloseTo(0.5, 12);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { makePath, pointAlong } from './path.ts';

const point = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.double({ min: -88, max: 88, noNaN: true }),
});
const points = fc.array(point, { minLength: 2, maxLength: 6 });

/** Between antipodes the great circle is not unique. */
const ALMOST_HALF_WAY_ROUND_M = 19_000_000;

describe('pointAlong', () => {
  it('gives the points of the path at their distances', () => {
    fc.assert(
      fc.property(points, (given) => {
        const path = makePath(given);
        fc.pre(
          given.every((_, index) => (path.metresAt[index + 1] ?? 0) - path.metresAt[index]! < ALMOST_HALF_WAY_ROUND_M),
        );
        for (const [index, expected] of given.entries()) {
          expect(distanceM(pointAlong(path, path.metresAt[index]!), expected)).toBeLessThan(1);
        }
      }),
    );
  });

  it('covers the same distance over the ground as along the leg, also across 180°', () => {
    fc.assert(
      fc.property(point, point, fc.double({ min: 0, max: 1, noNaN: true }), (from, to, part) => {
        const path = makePath([from, to]);
        const lengthM = path.metresAt[1]!;
        fc.pre(lengthM < ALMOST_HALF_WAY_ROUND_M);
        expect(distanceM(from, pointAlong(path, lengthM * part))).toBeCloseTo(lengthM * part, -1);
        expect(distanceM(pointAlong(path, lengthM * part), to)).toBeCloseTo(lengthM * (1 - part), -1);
      }),
    );
  });

  it('is clamped to the start and the end', () => {
    const path = makePath([
      { lon: 179.9, lat: -17 },
      { lon: -179.9, lat: -17 },
    ]);
    expect(pointAlong(path, -500).lon).toBeCloseTo(179.9, 9);
    expect(pointAlong(path, 1e9).lon).toBeCloseTo(-179.9, 9);
    expect(Math.abs(pointAlong(path, path.metresAt[1]! / 2).lon)).toBeCloseTo(180, 9);
  });
});

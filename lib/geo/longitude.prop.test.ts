import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eastwardDeg, nearestCopy, shorterWayDeg, wrapBearing, wrapLongitude } from './longitude.ts';

const longitude = fc.double({ min: -720, max: 720, noNaN: true });
/** To this many decimals, sums of up to three turns are exact. */
const CLOSE = 10;

describe('two longitudes', () => {
  test('have a shorter way of at most half a turn, which leads from one to a copy of the other', () => {
    fc.assert(
      fc.property(longitude, longitude, (from, to) => {
        const way = shorterWayDeg(from, to);
        expect(Math.abs(way)).toBeLessThanOrEqual(180);
        expect(Math.cos(((from + way - to) * Math.PI) / 180)).toBeCloseTo(1, CLOSE);
        expect(nearestCopy(to, from)).toBeCloseTo(from + way, CLOSE);
      }),
    );
  });

  test('exactly half a turn apart go east, by the way and by the copy', () => {
    for (const [from, to] of [
      [0, 180],
      [0, -180],
      [90, -90],
      [-90, 90],
      [270, 90],
    ] as const) {
      expect(shorterWayDeg(from, to)).toBe(180);
      expect(nearestCopy(to, from)).toBe(from + 180);
    }
  });

  test('have a way east of less than a turn, as long as the shorter way or what is left of the turn', () => {
    fc.assert(
      fc.property(longitude, longitude, (from, to) => {
        const east = eastwardDeg(from, to);
        expect(east).toBeGreaterThanOrEqual(0);
        expect(east).toBeLessThanOrEqual(360);
        const way = shorterWayDeg(from, to);
        expect(Math.cos(((east - way) * Math.PI) / 180)).toBeCloseTo(1, CLOSE);
      }),
    );
  });
});

test('a bearing is from 0 to 360, never -0, and stays the same direction', () => {
  expect(Object.is(wrapBearing(-360), 0)).toBe(true);
  fc.assert(
    fc.property(longitude, (deg) => {
      expect(wrapBearing(deg)).toBeGreaterThanOrEqual(0);
      expect(wrapBearing(deg)).toBeLessThanOrEqual(360);
      expect(wrapLongitude(wrapBearing(deg))).toBeCloseTo(wrapLongitude(deg), CLOSE);
    }),
  );
});

test('a bearing or a longitude in its range stays exact', () => {
  const exact = fc.double({ min: -180, max: 360, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(exact, (deg) => {
      if (deg >= 0) expect(wrapBearing(deg)).toBe(deg + 0);
      if (deg < 180) expect(wrapLongitude(deg)).toBe(deg + 0);
    }),
    { examples: [[1e-10], [-0]] },
  );
});

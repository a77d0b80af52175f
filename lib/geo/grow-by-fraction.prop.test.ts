import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, decimal, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { bboxContains, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { growByFraction } from './grown-box.ts';

describe('growByFraction', () => {
  test('the grown box contains every point of the box, also if it grows across 180°', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), longitude, latitude, (bbox, fraction, pointLon, pointLat) => {
        fc.pre(bboxContains(bbox, pointLon, pointLat));
        expect(bboxContains(growByFraction(bbox, fraction, 360), pointLon, pointLat)).toBe(true);
      }),
    );
  });

  test('stays within ±180/±90 and grows by the given fraction, or by half the room up to the limit', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), decimal(1, 360), (bbox, fraction, maxSpanDeg) => {
        const grown = growByFraction(bbox, fraction, maxSpanDeg);
        expect(Math.max(Math.abs(grown.west), Math.abs(grown.east))).toBeLessThanOrEqual(180);
        expect(Math.max(Math.abs(grown.south), Math.abs(grown.north))).toBeLessThanOrEqual(90);
        const leftDeg = Math.max(0, maxSpanDeg - lonSpanDeg(bbox));
        expect(lonSpanDeg(grown) - lonSpanDeg(bbox)).toBeCloseTo(Math.min(lonSpanDeg(bbox) * fraction, leftDeg / 2), 6);
      }),
    );
  });

  test('grows a box that runs on past 180° like the same box that crosses it', () => {
    const crossing = { west: 170, south: 80, east: -170, north: 89 };
    expect(growByFraction({ ...crossing, east: 190 }, 0.5, 360)).toEqual(growByFraction(crossing, 0.5, 360));
    expect(growByFraction(crossing, 0.5, 360)).toEqual({ west: 165, south: 77.75, east: -165, north: 90 });
  });

  test('leaves a side at or above the limit unchanged, and never grows one to the limit', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), decimal(1, 90), (bbox, fraction, maxSpanDeg) => {
        const grown = growByFraction(bbox, fraction, maxSpanDeg);
        if (lonSpanDeg(bbox) >= maxSpanDeg) expect(grown).toMatchObject({ west: bbox.west, east: bbox.east });
        else expect(lonSpanDeg(grown)).toBeLessThan(maxSpanDeg);
        if (latSpanDeg(bbox) >= maxSpanDeg) expect(grown).toMatchObject({ south: bbox.south, north: bbox.north });
        else expect(latSpanDeg(grown)).toBeLessThan(maxSpanDeg);
      }),
    );
  });
});

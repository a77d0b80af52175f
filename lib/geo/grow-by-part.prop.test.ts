import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, decimal, latitude, longitude } from '../../scripts/test/arbitrary-bbox.ts';
import { bboxContains, lonSpanDeg } from './bbox.ts';
import { growByPart } from './grow-by-part.ts';

describe('growByPart', () => {
  test('a point of the box lies in the grown one, also where it grows across 180°', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), longitude, latitude, (bbox, part, pointLon, pointLat) => {
        fc.pre(bboxContains(bbox, pointLon, pointLat));
        expect(bboxContains(growByPart(bbox, part), pointLon, pointLat)).toBe(true);
      }),
    );
  });

  test('stays inside the world and grows each side by its part, at most around the whole circle', () => {
    fc.assert(
      fc.property(anyBbox, decimal(0.01, 2), (bbox, part) => {
        const grown = growByPart(bbox, part);
        expect(Math.max(Math.abs(grown.west), Math.abs(grown.east))).toBeLessThanOrEqual(180);
        expect(Math.max(Math.abs(grown.south), Math.abs(grown.north))).toBeLessThanOrEqual(90);
        expect(lonSpanDeg(grown)).toBeCloseTo(Math.min(360, lonSpanDeg(bbox) * (1 + part)), 6);
      }),
    );
  });
});

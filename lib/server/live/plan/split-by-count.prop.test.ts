import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bbox, bboxesOverlap, subtractBbox } from '#lib/geo/bbox.ts';
import { decimal } from '../../../geo/arbitrary-bbox.fixture.ts';
import { anyExpected } from './arbitrary-demand.fixture.ts';
import { requestCost } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';

const area = fc
  .record({ west: decimal(-180, 179), south: decimal(-90, 89), width: decimal(0.01, 30), height: decimal(0.01, 30) })
  .map(
    ({ west, south, width, height }): Bbox => ({
      west,
      south,
      east: Math.min(180, west + width),
      north: Math.min(90, south + height),
    }),
  );

test('the parts tile their area for the same cost, and cuts are on the grid', () => {
  fc.assert(
    fc.property(area, anyExpected, (whole, expected) => {
      const cost = (bbox: Bbox) => requestCost(expected(bbox));
      const parts = splitByCount(whole, expected);
      expect(parts.reduce((sum, part) => sum + cost(part), 0)).toBe(cost(whole));
      for (const [index, part] of parts.entries()) {
        expect(parts.slice(index + 1).some((other) => bboxesOverlap(part, other))).toBe(false);
        expect(subtractBbox(part, whole)).toEqual([]);
        for (const [edge, outer] of [
          [part.west, whole.west],
          [part.south, whole.south],
          [part.east, whole.east],
          [part.north, whole.north],
        ] as const) {
          if (edge !== outer) expect(edge * 64).toBe(Math.round(edge * 64));
        }
      }
      expect(
        parts.reduce((left, part) => left.flatMap((rest) => subtractBbox(rest, part)), [whole] as readonly Bbox[]),
      ).toEqual([]);
    }),
  );
});

test('evenly spread records are split into one-page areas', () => {
  const perDeg2 = (records: number) => (bbox: Bbox) => (bbox.east - bbox.west) * (bbox.north - bbox.south) * records;
  const whole = { west: -10, south: 35, east: 20, north: 60 };
  for (const pages of [2, 3, 5, 11, 32]) {
    const expected = perDeg2((pages * 900 - 400) / 750);
    const parts = splitByCount(whole, expected);
    expect(parts).toHaveLength(pages);
    expect(Math.max(...parts.map(expected))).toBeLessThanOrEqual(900);
  }
});

test('records in a single point cannot be split, and stay whole', () => {
  const crowd = (bbox: Bbox) =>
    bbox.west <= 8.1 && 8.1 < bbox.east && bbox.south <= 47.1 && 47.1 < bbox.north ? 5000 : 0;
  const parts = splitByCount({ west: 0, south: 40, east: 20, north: 50 }, crowd);
  expect(parts.reduce((sum, part) => sum + requestCost(crowd(part)), 0)).toBe(6);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bbox, bboxContains, bboxesOverlap } from './bbox.ts';

const box = fc
  .tuple(fc.integer({ min: -180, max: 179 }), fc.integer({ min: 1, max: 359 }), fc.integer({ min: -6, max: 5 }))
  .map(([west, span, south]): Bbox => {
    const east = west + span > 180 ? west + span - 360 : west + span;
    return { west, east, south, north: south + 3 };
  });

function sharesCell(one: Bbox, other: Bbox): boolean {
  for (let lon = -179.5; lon < 180; lon++) {
    for (let lat = -8.5; lat < 9; lat++) {
      if (bboxContains(one, lon, lat) && bboxContains(other, lon, lat)) return true;
    }
  }
  return false;
}

describe('bboxesOverlap', () => {
  test('boxes overlap exactly if some cell lies in both, also across 180°', () => {
    fc.assert(
      fc.property(box, box, (one, other) => {
        expect(bboxesOverlap(one, other)).toBe(sharesCell(one, other));
      }),
    );
  });

  test('boxes that share only an edge do not overlap, even at 180°', () => {
    const square = { west: 10, south: 0, east: 20, north: 10 };
    expect(bboxesOverlap(square, { ...square, west: 20, east: 30 })).toBe(false);
    expect(bboxesOverlap(square, { ...square, south: 10, north: 20 })).toBe(false);
    expect(bboxesOverlap({ ...square, west: 170, east: 180 }, { ...square, west: -180, east: -170 })).toBe(false);
  });

  test('a box without width overlaps nothing', () => {
    const line = { west: 15, south: 0, east: 15, north: 10 };
    expect(bboxesOverlap(line, { west: 10, south: 0, east: 20, north: 10 })).toBe(false);
  });
});

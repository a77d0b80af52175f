import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { bboxContains, crossesAntimeridian, latSpanDeg, lonSpanDeg } from './bbox.ts';
import { joinAtAntimeridian } from './join-at-antimeridian.ts';
import { splitAtAntimeridian } from './split-at-antimeridian.ts';

describe('splitAtAntimeridian', () => {
  test('one or two pieces, each with an area, none of them across 180°', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        const pieces = splitAtAntimeridian(bbox);
        expect([1, 2]).toContain(pieces.length);
        for (const piece of pieces) {
          expect(crossesAntimeridian(piece)).toBe(false);
          expect(lonSpanDeg(piece)).toBeGreaterThan(0);
          expect(latSpanDeg(piece)).toBeGreaterThan(0);
        }
      }),
    );
  });

  test('the union is the input: a point lies in the box exactly where it lies in a piece', () => {
    fc.assert(
      fc.property(anyBbox, longitude, latitude, (bbox, pointLon, pointLat) => {
        const pieces = splitAtAntimeridian(bbox);
        for (const x of [pointLon, bbox.west, bbox.east, 180, -180]) {
          expect(pieces.some((piece) => bboxContains(piece, x, pointLat))).toBe(bboxContains(bbox, x, pointLat));
        }
      }),
    );
  });

  test('the pieces share no area: their widths add up to the width of the box', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        const widths = splitAtAntimeridian(bbox).map(lonSpanDeg);
        expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(lonSpanDeg(bbox), 9);
      }),
    );
  });

  test('the pieces are joined to the box that they came from', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        fc.pre(bbox.west !== 180 && bbox.east !== -180);
        expect(joinAtAntimeridian(splitAtAntimeridian(bbox))).toEqual(bbox);
      }),
    );
  });

  test('is never empty, not even for the box from 180 to -180 that has no width', () => {
    expect(splitAtAntimeridian({ west: 180, south: 0, east: -180, north: 1 }).length).toBeGreaterThan(0);
  });
});

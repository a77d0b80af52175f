import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import {
  bboxContains,
  crossesAntimeridian,
  joinAtAntimeridian,
  latSpanDeg,
  lonSpanDeg,
  splitAtAntimeridian,
} from './bbox.ts';

describe('splitAtAntimeridian', () => {
  test('returns one or two pieces, each with an area and none across 180°', () => {
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

  test('a point lies in the box exactly if it lies in a piece', () => {
    fc.assert(
      fc.property(anyBbox, longitude, latitude, (bbox, pointLon, pointLat) => {
        const pieces = splitAtAntimeridian(bbox);
        for (const x of [pointLon, bbox.west, bbox.east, 180, -180]) {
          expect(pieces.some((piece) => bboxContains(piece, x, pointLat))).toBe(bboxContains(bbox, x, pointLat));
        }
      }),
    );
  });

  test('the widths of the pieces add up to the width of the box, so they share no area', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        const widths = splitAtAntimeridian(bbox).map(lonSpanDeg);
        expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(lonSpanDeg(bbox), 9);
      }),
    );
  });

  test('joining the pieces restores the box', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        fc.pre(bbox.west !== 180 && bbox.east !== -180);
        expect(joinAtAntimeridian(splitAtAntimeridian(bbox))).toEqual(bbox);
      }),
    );
  });

  test('is never empty, not even for the zero-width box from 180 to -180', () => {
    expect(splitAtAntimeridian({ west: 180, south: 0, east: -180, north: 1 }).length).toBeGreaterThan(0);
  });
});

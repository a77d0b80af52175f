import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bbox, bboxContains, intersectBbox, subtractBbox } from './bbox.ts';

const box = fc
  .tuple(
    fc.integer({ min: -180, max: 179 }),
    fc.integer({ min: -90, max: 89 }),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(
    ([west, south, width, height]): Bbox => ({
      west,
      south,
      east: Math.min(180, west + width),
      north: Math.min(90, south + height),
    }),
  );
const area = (bbox: Bbox) => (bbox.east - bbox.west) * (bbox.north - bbox.south);

describe('subtractBbox', () => {
  test('the parts and the intersection make up the whole area, without overlap', () => {
    fc.assert(
      fc.property(box, box, (whole, cut) => {
        const parts = subtractBbox(whole, cut);
        const shared = intersectBbox(whole, cut);
        const sum = parts.reduce((total, part) => total + area(part), shared ? area(shared) : 0);
        expect(sum).toBe(area(whole));
        for (const [index, part] of parts.entries()) {
          expect(intersectBbox(part, cut)).toBeUndefined();
          for (const other of parts.slice(index + 1)) expect(intersectBbox(part, other)).toBeUndefined();
        }
      }),
    );
  });

  test('every point of the box lies in a part or in the cut', () => {
    fc.assert(
      fc.property(
        box,
        box,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (whole, cut, right, up) => {
          const lon = whole.west + (whole.east - whole.west) * right;
          const lat = whole.south + (whole.north - whole.south) * up;
          const places = [...subtractBbox(whole, cut), cut];
          expect(places.some((place) => bboxContains(place, lon, lat))).toBe(true);
        },
      ),
    );
  });
});

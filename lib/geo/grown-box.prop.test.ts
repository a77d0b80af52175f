import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyBbox, decimal, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import { bboxContains, bboxCovers, lonSpanDeg } from './bbox.ts';
import { destination } from './great-circle.ts';
import { grownBox } from './grown-box.ts';
import { wrapLongitude } from './longitude.ts';

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
/** Small ones, across 180° and at the poles among them. */
const box = fc.oneof(
  anyBbox,
  fc
    .record({
      west: fc.oneof(longitude, decimal(179, 180)),
      south: fc.oneof(latitude, decimal(-90, -89), decimal(88, 90)),
      width: decimal(0, 2),
      height: decimal(0, 2),
    })
    .map(({ west, south, width, height }) => ({
      west,
      south,
      east: west + width,
      north: Math.min(90, south + height),
    })),
);

describe('grownBox', () => {
  test('contains every place within the distance of a place in the box, across 180° and at the poles too', () => {
    fc.assert(
      fc.property(
        box,
        fraction,
        fraction,
        fc.double({ min: 1, max: 600_000, noNaN: true }),
        fc.double({ min: 0, max: 360, noNaN: true }),
        (bbox, across, up, byM, courseDeg) => {
          const from = {
            lon: wrapLongitude(bbox.west + across * lonSpanDeg(bbox)),
            // The sum may exceed its north by a rounding.
            lat: Math.min(bbox.north, bbox.south + up * (bbox.north - bbox.south)),
          };
          const reached = destination(from, courseDeg, byM);
          const grown = grownBox(bbox, byM);
          expect(bboxContains(grown, from.lon, from.lat)).toBe(true);
          expect(bboxContains(grown, reached.lon, reached.lat)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('is a box of longitudes from -180 to 180 and latitudes from -90 to 90', () => {
    fc.assert(
      fc.property(box, fc.double({ min: 0, max: 5_000_000, noNaN: true }), (bbox, byM) => {
        const { west, south, east, north } = grownBox(bbox, byM);
        for (const lon of [west, east]) expect(Math.abs(lon)).toBeLessThanOrEqual(180);
        for (const lat of [south, north]) expect(Math.abs(lat)).toBeLessThanOrEqual(90);
      }),
    );
  });

  test('is the box itself for no distance', () => {
    fc.assert(
      fc.property(anyBbox, (bbox) => {
        const same = grownBox(bbox, 0);
        expect(same.south).toBe(bbox.south);
        expect(same.north).toBe(bbox.north);
        expect(lonSpanDeg(same)).toBeCloseTo(lonSpanDeg(bbox), 9);
      }),
    );
    expect(grownBox({ west: 179, south: 0, east: 181, north: 1 }, 0)).toEqual({
      west: 179,
      south: 0,
      east: -179,
      north: 1,
    });
  });

  test('spans all longitudes where the distance reaches a pole, and where it grows all around', () => {
    const [west, east] = [8, 9];
    expect(grownBox({ west, south: 89.9, east, north: 89.95 }, 10_000)).toMatchObject({ west: -180, east: 180 });
    expect(grownBox({ west, south: -89.9, east, north: -89.8 }, 20_000)).toMatchObject({
      west: -180,
      south: -90,
      east: 180,
    });
    expect(bboxCovers(grownBox({ west: -179.9, south: 0, east: 179.9, north: 1 }, 20_000), anyWhere)).toBe(true);
  });
});

const anyWhere = { west: 179.95, south: 0, east: -179.95, north: 1 };

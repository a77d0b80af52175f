import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { destination, distanceM } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { extentAround, extentsTouch, minDistanceM } from './extent.ts';

const point = fc.record({
  lon: fc.double({ min: -180, max: 179.999, noNaN: true }),
  lat: fc.double({ min: -89, max: 89, noNaN: true }),
});
const radiusM = fc.double({ min: 10, max: 5_000_000, noNaN: true });
const bearing = fc.double({ min: 0, max: 360, noNaN: true });
const part = fc.double({ min: 0, max: 0.999, noNaN: true });

describe('extentAround', () => {
  it('contains every point within the radius, around the poles and across 180° too', () => {
    fc.assert(
      fc.property(point, radiusM, bearing, part, (centre, radius, course, share) => {
        const inside = destination(centre, course, radius * share);
        expect(bboxContains(extentAround(centre, radius), inside.lon, inside.lat)).toBe(true);
      }),
    );
  });
});

/** A box around a given point. Starting from the point means that no case has to be discarded. */
const reachDeg = fc.double({ min: 0.001, max: 20, noNaN: true });
const boxAround = (inside: { lon: number; lat: number }) =>
  fc.record({ west: reachDeg, south: reachDeg, east: reachDeg, north: reachDeg }).map(
    (reach): Bbox => ({
      west: wrapLongitude(inside.lon - reach.west),
      south: Math.max(-90, inside.lat - reach.south),
      east: wrapLongitude(inside.lon + reach.east),
      north: Math.min(90, inside.lat + reach.north),
    }),
  );

describe('extentsTouch', () => {
  it('is true for boxes that share a point, in either order', () => {
    const twoBoxes = point.chain((shared) => fc.tuple(boxAround(shared), boxAround(shared)));
    fc.assert(
      fc.property(twoBoxes, ([a, b]) => {
        expect(extentsTouch(a, b)).toBe(true);
        expect(extentsTouch(b, a)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is false for boxes apart in latitude or in longitude', () => {
    const fiji = { west: 176, south: -20, east: -178, north: -15 };
    expect(extentsTouch(fiji, { west: -177.9, south: -20, east: -170, north: -15 })).toBe(false);
    expect(extentsTouch(fiji, { west: 170, south: -20, east: 175.9, north: -15 })).toBe(false);
    expect(extentsTouch(fiji, { west: 176, south: -14.9, east: 180, north: 0 })).toBe(false);
    expect(extentsTouch(fiji, { west: -180, south: -20, east: -179, north: -15 })).toBe(true);
  });
});

describe('minDistanceM', () => {
  it('is never more than the distance to any point of the box', () => {
    const boxAndInside = point.chain((inside) => fc.record({ inside: fc.constant(inside), box: boxAround(inside) }));
    fc.assert(
      fc.property(boxAndInside, radiusM, bearing, ({ inside, box }, away, course) => {
        expect(minDistanceM(box, destination(inside, course, away))).toBeLessThanOrEqual(away + 0.01);
      }),
      { numRuns: 1000 },
    );
  });

  it('is 0 inside the box, and the distance to its edge due north, south, east and west of it', () => {
    const box = { west: 170, south: -10, east: -170, north: 10 };
    expect(minDistanceM(box, { lon: -180, lat: 3 })).toBe(0);
    expect(minDistanceM(box, { lon: 175, lat: 12 })).toBeCloseTo(
      distanceM({ lon: 175, lat: 10 }, { lon: 175, lat: 12 }),
    );
    expect(minDistanceM(box, { lon: -179, lat: -50 })).toBeCloseTo(distanceM({ lon: 0, lat: 0 }, { lon: 0, lat: 40 }));
    expect(minDistanceM(box, { lon: 100, lat: 0 })).toBeCloseTo(distanceM({ lon: 100, lat: 0 }, { lon: 170, lat: 0 }));
    expect(minDistanceM(box, { lon: -160, lat: 0 })).toBeCloseTo(
      distanceM({ lon: -160, lat: 0 }, { lon: -170, lat: 0 }),
    );
  });

  it('is the distance across the pole for a point on the other side of the Earth', () => {
    const box = { west: 0, south: 40, east: 10, north: 50 };
    expect(minDistanceM(box, { lon: -175, lat: 80 })).toBeCloseTo(distanceM({ lon: 0, lat: 50 }, { lon: 0, lat: 80 }));
    expect(minDistanceM(box, { lon: -175, lat: 45 })).toBeCloseTo(distanceM({ lon: 0, lat: 45 }, { lon: 0, lat: 90 }));
  });
});

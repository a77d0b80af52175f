import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bbox } from './bbox.ts';
import { minDistanceM } from './bbox.ts';
import { destination, distanceM } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';

const point = fc.record({
  lon: fc.double({ min: -180, max: 179.999, noNaN: true }),
  lat: fc.double({ min: -89, max: 89, noNaN: true }),
});
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

describe('minDistanceM', () => {
  it('is never more than the distance to any point of the box', () => {
    const boxAndInside = point.chain((inside) => fc.record({ inside: fc.constant(inside), box: boxAround(inside) }));
    const away = fc.double({ min: 10, max: 5_000_000, noNaN: true });
    const course = fc.double({ min: 0, max: 360, noNaN: true });
    fc.assert(
      fc.property(boxAndInside, away, course, ({ inside, box }, awayM, courseDeg) => {
        expect(minDistanceM(box, destination(inside, courseDeg, awayM))).toBeLessThanOrEqual(awayM + 0.01);
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

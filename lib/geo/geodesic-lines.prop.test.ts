import fc from 'fast-check';
import { Geodesic } from 'geographiclib-geodesic';
import { describe, expect, test } from 'vitest';
import { circlePoints, greatCirclePoints, mapLines } from './geodesic-lines.ts';
import { bearingDeg, distanceM } from './great-circle.ts';
import { MERCATOR_MAX_LAT_DEG } from './mercator.ts';

const place = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: -90, max: 90, noNaN: true }) },
    fc.constantFrom(-90, -89.999, 90),
  ),
});
const radiusM = fc.double({ min: 10, max: 2_000_000, noNaN: true });

/** The Earth is flattened by 1/298. */
const SPHERE_ERROR = 0.0057;

/** The distance on the WGS84 ellipsoid (Karney 2013). */
function ellipsoidM(from: { lon: number; lat: number }, to: { lon: number; lat: number }): number {
  return Geodesic.WGS84.Inverse(from.lat, from.lon, to.lat, to.lon).s12 ?? Number.NaN;
}

describe('a great circle', () => {
  test('its distance is that of the ellipsoid within 0.57 %, its initial bearing within 0.6° up to 15,000 km', () => {
    fc.assert(
      fc.property(place, place, (from, to) => {
        const exact = Geodesic.WGS84.Inverse(from.lat, from.lon, to.lat, to.lon);
        const exactM = exact.s12 ?? Number.NaN;
        expect(Math.abs(distanceM(from, to) - exactM)).toBeLessThanOrEqual(SPHERE_ERROR * exactM + 0.001);
        if (exactM > 15_000_000 || exactM < 1 || Math.max(Math.abs(from.lat), Math.abs(to.lat)) > 89) return;
        const turned = Math.abs(bearingDeg(from, to) - (((exact.azi1 ?? Number.NaN) % 360) + 360)) % 360;
        expect(Math.min(turned, 360 - turned)).toBeLessThan(0.6);
      }),
    );
  });

  test('its points lie on the way: the parts add up to the whole', () => {
    fc.assert(
      fc.property(place, place, (from, to) => {
        const points = greatCirclePoints(from, to);
        let sumM = 0;
        for (let at = 1; at < points.length; at++) {
          const [before, point] = [points[at - 1], points[at]];
          if (before && point) sumM += distanceM(before, point);
        }
        expect(Math.abs(sumM - distanceM(from, to))).toBeLessThan(1);
      }),
    );
  });
});

describe('a circle', () => {
  test('all its points are at the radius, by the ellipsoid within 0.57 %, also over a pole and across 180°', () => {
    fc.assert(
      fc.property(place, radiusM, (middle, radius) => {
        const farOff = circlePoints(middle, radius).filter(
          (point) => Math.abs(ellipsoidM(middle, point) - radius) > SPHERE_ERROR * radius + 0.001,
        );
        expect(farOff).toEqual([]);
      }),
    );
  });
});

describe('lines on the map', () => {
  test('never jump from one side of the map to the other, and stay on the map', () => {
    fc.assert(
      fc.property(place, radiusM, place, (middle, radius, other) => {
        const way = distanceM(middle, other) < 19_900_000 ? greatCirclePoints(middle, other) : [];
        for (const points of [circlePoints(middle, radius), way]) {
          for (const line of mapLines(points)) {
            expect(line.length).toBeGreaterThan(1);
            expect(line.every(([, lat]) => Math.abs(lat) <= MERCATOR_MAX_LAT_DEG)).toBe(true);
            const jumps = line.filter(([lon], at) => at > 0 && Math.abs(lon - (line[at - 1]?.[0] ?? lon)) > 90);
            expect(jumps).toEqual([]);
          }
        }
      }),
    );
  });

  test('a circle around a pole is one line around the world', () => {
    const [line, ...others] = mapLines(circlePoints({ lon: 30, lat: 88 }, 1_000_000));
    expect(others).toEqual([]);
    const [first, last] = [line?.[0]?.[0] ?? 0, line?.at(-1)?.[0] ?? 0];
    expect(Math.abs(last - first)).toBeCloseTo(360, 6);
  });

  test('a circle across 180° is closed, beyond 180°', () => {
    const [line = []] = mapLines(circlePoints({ lon: 179.9, lat: 10 }, 50_000));
    const [firstLon = Number.NaN, firstLat = Number.NaN] = line[0] ?? [];
    expect(line.at(-1)?.[0]).toBeCloseTo(firstLon, 9);
    expect(line.at(-1)?.[1]).toBeCloseTo(firstLat, 9);
    expect(Math.max(...line.map(([lon]) => lon))).toBeGreaterThan(180);
  });
});

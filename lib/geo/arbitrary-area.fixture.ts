import fc from 'fast-check';
import { decimal, longitude } from './arbitrary-bbox.fixture.ts';
import { type Area, areaProblem, type Circle, type Polygon, polygonOf } from './area.ts';
import { roundedArea } from './area-parameter.ts';

export const arbitraryCircle: fc.Arbitrary<Circle> = fc.record({
  kind: fc.constant('circle' as const),
  centre: fc.record({ lon: longitude, lat: decimal(-80, 80) }),
  radiusM: fc.double({ min: 5, max: 100_000, noNaN: true }),
});

/** Star-shaped: corners in order of bearing around a place, across 180° too. */
export const arbitraryPolygon: fc.Arbitrary<Polygon> = fc
  .record({
    lon: longitude,
    lat: decimal(-75, 75),
    sizeDeg: decimal(0.01, 5),
    arms: fc.array(fc.record({ turn: decimal(0, 1), length: decimal(0.2, 1) }), { minLength: 3, maxLength: 12 }),
  })
  .map(({ lon, lat, sizeDeg, arms }) =>
    polygonOf(
      arms
        .toSorted((a, b) => a.turn - b.turn)
        .map(({ turn, length }) => ({
          lon: lon + Math.cos(turn * 2 * Math.PI) * length * sizeDeg,
          lat: lat + Math.sin(turn * 2 * Math.PI) * length * sizeDeg,
        })),
    ),
  )
  .filter((polygon) => areaProblem(polygon) === undefined);

export const arbitraryArea: fc.Arbitrary<Area> = fc
  .oneof(arbitraryCircle, arbitraryPolygon)
  .map((area) => roundedArea(area))
  .filter((area) => areaProblem(area) === undefined);

import fc from 'fast-check';
import { decimal, longitude } from './arbitrary-bbox.fixture.ts';
import { type Area, areaProblem, type Circle, type Corridor, corridorOf, type Polygon, polygonOf } from './area.ts';
import { roundedArea } from './area-parameter.ts';
import { destination } from './great-circle.ts';

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

/** A polygon with a hole: the same corners, nearer to a place inside. */
const arbitraryHoled: fc.Arbitrary<Polygon> = fc
  .record({ lon: longitude, lat: decimal(-75, 75), sizeDeg: decimal(0.01, 5), sides: fc.integer({ min: 3, max: 9 }) })
  .map(({ lon, lat, sizeDeg, sides }) => {
    const ring = (size: number) =>
      Array.from({ length: sides }, (_, side) => ({
        lon: lon + Math.cos((side * 2 * Math.PI) / sides) * size,
        lat: lat + Math.sin((side * 2 * Math.PI) / sides) * size,
      }));
    return polygonOf(ring(sizeDeg), [ring(sizeDeg * 0.4)]);
  });

const arbitraryCorridor: fc.Arbitrary<Corridor> = fc
  .record({
    from: fc.record({ lon: longitude, lat: decimal(-70, 70) }),
    steps: fc.array(fc.record({ course: decimal(0, 359), lengthM: decimal(100, 30_000) }), {
      minLength: 1,
      maxLength: 4,
    }),
    halfWidthM: fc.double({ min: 5, max: 10_000, noNaN: true }),
  })
  .map(({ from, steps, halfWidthM }) => {
    const line = [from];
    for (const { course, lengthM } of steps) line.push(destination(line.at(-1) ?? from, course, lengthM));
    return corridorOf(line, halfWidthM);
  });

export const arbitraryArea: fc.Arbitrary<Area> = fc
  .oneof(arbitraryCircle, arbitraryPolygon, arbitraryHoled, arbitraryCorridor)
  .map((area) => roundedArea(area))
  .filter((area) => areaProblem(area) === undefined);

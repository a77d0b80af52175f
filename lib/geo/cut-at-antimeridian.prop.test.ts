import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxRing } from './bbox.ts';
import { cutLine, cutPolygon, joinLines, joinPolygons } from './cut-at-antimeridian.ts';
import { wrapLongitude } from './longitude.ts';

type Position = [number, number];

/** Makes longitudes relative to 180°. */
const from180 = (ring: readonly (readonly [number, number])[]): Position[] =>
  ring.map(([lon, lat]) => [wrapLongitude(lon - 180), lat]);

function areaOf(rings: readonly (readonly (readonly [number, number])[])[]): number {
  return rings
    .map((ring) => {
      const corners = from180(ring);
      return Math.abs(
        corners.slice(1).reduce((sum, [x, y], index) => {
          const [beforeX, beforeY] = corners[index] as Position;
          return sum + beforeX * y - x * beforeY;
        }, 0),
      );
    })
    .reduce((edge, hole) => edge - hole);
}

const spoke = fc.record({
  turn: fc.double({ min: 0, max: 0.6, noNaN: true }),
  radius: fc.double({ min: 0.5, max: 3, noNaN: true }),
});

/** Around a middle near 180°, often concave; the hole is the same ring, smaller. */
const polygon = fc
  .record({
    lon: fc.double({ min: -2.9, max: 2.9, noNaN: true }),
    lat: fc.double({ min: -60, max: 60, noNaN: true }),
    spokes: fc.array(spoke, { minLength: 5, maxLength: 30 }),
    hasHole: fc.boolean(),
  })
  .map(({ lon, lat, spokes, hasHole }) => {
    const ring = (size: number): Position[] => {
      const open = spokes.map(({ turn, radius }, index): Position => {
        const angle = ((index + turn) / spokes.length) * 2 * Math.PI;
        return [wrapLongitude(180 + lon + size * radius * Math.cos(angle)), lat + size * radius * Math.sin(angle)];
      });
      return [...open, open[0] as Position];
    };
    return hasHole ? [ring(1), ring(0.3)] : [ring(1)];
  });

test('joining the parts of a cut polygon gives the polygon', () => {
  fc.assert(
    fc.property(polygon, (rings) => {
      const joined = joinPolygons(cutPolygon(rings));
      expect(joined).toHaveLength(1);
      const shape = joined[0]?.shape ?? [];
      expect(shape).toHaveLength(rings.length);
      expect(areaOf(shape)).toBeCloseTo(areaOf(rings), 4);
      const corners = new Set(shape.flatMap(from180).map(([x, y]) => `${x.toFixed(5)} ${y.toFixed(5)}`));
      const isNear = ([x, y]: Position) =>
        [-1e-5, 0, 1e-5].some((dx) =>
          [-1e-5, 0, 1e-5].some((dy) => corners.has(`${(x + dx).toFixed(5)} ${(y + dy).toFixed(5)}`)),
        );
      // A corner that is hardly one may go with the cut.
      expect(rings.flatMap(from180).filter((corner) => !isNear(corner) && Math.abs(corner[0]) > 1e-5)).toEqual([]);
    }),
  );
});

test('joining the parts of a cut line gives the line', () => {
  const place = fc.tuple(fc.double({ min: 0.01, max: 20, noNaN: true }), fc.double({ min: -60, max: 60, noNaN: true }));
  fc.assert(
    fc.property(fc.array(place, { minLength: 2, maxLength: 8 }), (places) => {
      const line = places.map(
        ([east, lat], index): Position => [wrapLongitude(180 + (index % 2 === 0 ? -east : east)), lat],
      );
      const [joined, ...others] = joinLines(cutLine(line));
      expect(others).toEqual([]);
      expect(joined?.shape).toHaveLength(line.length);
      for (const [index, [lon, lat]] of line.entries()) {
        expect(joined?.shape[index]?.[0]).toBeCloseTo(lon, 9);
        expect(joined?.shape[index]?.[1]).toBeCloseTo(lat, 9);
      }
    }),
  );
});

test('polygons that share no edge along 180° from its two sides stay to the last digit', () => {
  const box = (west: number, south: number, east: number, north: number): Position[][] => [
    boxRing({ west, south, east, north }),
  ];
  for (const polygons of [
    [box(179.123456789012, 10, 180, 11), box(-180, 12, -179, 13)],
    [box(179, 10, 180, 11), box(-180, 11, -179, 12)],
    [box(178, 10, 180, 11), box(179, 12, 180, 13)],
    [box(-1, 10, 0, 11), box(0, 10, 1, 11)],
  ])
    expect(joinPolygons(polygons)).toEqual(polygons.map((shape, index) => ({ shape, from: [index] })));
});

test('cuts with several parts on a side, rounded differently, make one polygon with its hole', () => {
  const east: Position[][] = [
    [
      [180, 0],
      [180, 5],
      [179, 5],
      [179, 0],
      [180, 0],
    ],
  ];
  const north: Position[][] = [
    [
      [-180, 4],
      [-178, 4],
      [-178, 5.0000004],
      [-180, 5.0000004],
      [-180, 4],
    ],
  ];
  const south: Position[][] = [
    [
      [-180, 0],
      [-178, 0],
      [-178, 1],
      [-180, 1],
      [-180, 0],
    ],
  ];
  const [joined, ...others] = joinPolygons([east, north, south]);
  expect(others).toEqual([]);
  expect(joined?.from).toEqual([0, 1, 2]);
  expect(joined?.shape).toHaveLength(1);
  expect(areaOf(joined?.shape ?? []) / 2).toBeCloseTo(5 + 2 + 2, 5);
  const far: Position[][] = [
    [
      [-178, 0],
      [-177, 0],
      [-177, 5],
      [-178, 5],
      [-178, 0],
    ],
  ];
  expect(joinPolygons([east, [[...(north[0] as Position[])]], south, far])).toHaveLength(2);
  const frame: Position[][] = [
    [
      [-180, 0],
      [-177, 0],
      [-177, 5],
      [-180, 5],
      [-180, 4],
      [-178, 4],
      [-178, 1],
      [-180, 1],
      [-180, 0],
    ],
  ];
  const [ring] = joinPolygons([east, frame]);
  expect(ring?.shape).toHaveLength(2);
});

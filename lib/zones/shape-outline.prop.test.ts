import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areaContains, distanceToAreaM, polygonOf } from '../geo/area.ts';
import { distanceM } from '../geo/great-circle.ts';
import { shapeBounds, shapeOutline } from './shape-outline.ts';
import type { ZoneShape } from './zone.ts';

type Point = readonly [number, number];

const place = fc.tuple(
  fc.double({ min: -180, max: 179.99, noNaN: true }),
  fc.double({ min: -70, max: 70, noNaN: true }),
) as fc.Arbitrary<[number, number]>;
const step = fc.double({ min: -0.2, max: 0.2, noNaN: true });

const corridor = fc
  .tuple(
    place,
    fc.array(fc.tuple(step, step), { minLength: 1, maxLength: 5 }),
    fc.double({ min: 50, max: 5000, noNaN: true }),
  )
  .map(([start, steps, half_width_m]) => {
    const line: [number, number][] = [start];
    for (const [east, north] of steps) {
      const [lon, lat] = line.at(-1) as Point;
      line.push([((lon + east + 540) % 360) - 180, lat + north]);
    }
    return { type: 'Corridor', line, half_width_m } satisfies ZoneShape;
  });

test('an outline of a corridor is as far from its line as the corridor is wide', () => {
  fc.assert(
    fc.property(corridor, (shape) => {
      const rings = shapeOutline(shape).flat();
      expect(rings.length).toBeGreaterThan(0);
      for (const [lon, lat] of rings.flat()) {
        const nearestM = Math.min(...segments(shape.line).map((segment) => distanceToAreaM(segment, { lon, lat })));
        expect(nearestM / shape.half_width_m).toBeGreaterThan(0.98);
        expect(nearestM / shape.half_width_m).toBeLessThan(1.02);
      }
    }),
  );
});

test('an outline contains the corners of its corridor, also across 180°', () => {
  fc.assert(
    fc.property(corridor, (shape) => {
      const rings = shapeOutline(shape).map(([edge = []]) =>
        polygonOf(edge.slice(1).map(([lon, lat]) => ({ lon, lat }))),
      );
      for (const [lon, lat] of shape.line) expect(rings.some((ring) => areaContains(ring, lon, lat))).toBe(true);
    }),
  );
});

test('longitudes of a polygon across 180° run on', () => {
  const ring: [number, number][] = [
    [179, 0],
    [-179, 0],
    [-179, 1],
    [179, 1],
    [179, 0],
  ];
  expect(shapeBounds({ type: 'Polygon', coordinates: [ring] })).toEqual({ west: 179, south: 0, east: 181, north: 1 });
});

test('a circle is drawn at its radius', () => {
  const [[ring = []] = []] = shapeOutline({ type: 'Circle', centre: [179.99, 47], radius_m: 3000 });
  for (const [lon, lat] of ring) expect(distanceM({ lon: 179.99, lat: 47 }, { lon, lat })).toBeCloseTo(3000, 3);
});

function segments(line: readonly Point[]) {
  return line.slice(1).map((to, index) => {
    const from = line[index] as Point;
    return polygonOf([from, to, from].map(([lon, lat]) => ({ lon, lat })));
  });
}

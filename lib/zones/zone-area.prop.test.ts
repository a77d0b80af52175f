import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areaContains, areaProblem, distanceToAreaM, lineTouchesArea } from '#lib/geo/area.ts';
import { formatArea, parseArea } from '#lib/geo/area-parameter.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { groundWorld } from './arbitrary-ground.fixture.ts';
import { groundOf } from './ground.ts';
import type { ZoneShape } from './zone.ts';
import { areaOfShape, areaRings } from './zone-area.ts';

/** A link has six decimals. */
const world = groundWorld((deg) => Number(deg.toFixed(6)));

test('a zone as an area of the filter has the same places in it, also after a link', () => {
  fc.assert(
    fc.property(world, ([shape, place, other]) => {
      const area = areaOfShape(shape);
      const ground = groundOf(shape);
      expect(areaProblem(area)).toBeUndefined();
      expect(parseArea(formatArea(area))).toEqual(area);
      expect(areaContains(area, place.lon, place.lat)).toBe(ground.contains(place.lon, place.lat));
      expect(lineTouchesArea(area, place, other)).toBe(ground.lineTouches(place, other));
      const outsideM = ground.contains(place.lon, place.lat) ? 0 : ground.edgeM(place);
      expect(distanceToAreaM(area, place)).toBeCloseTo(outsideM, 3);
    }),
  );
});

test('the box of a corridor decides nothing: a bend leaves its inner corner outside', () => {
  const shape: ZoneShape = {
    type: 'Corridor',
    line: [
      [8.5, 47.4],
      [8.54, 47.4],
      [8.54, 47.43],
    ],
    half_width_m: 200,
  };
  const area = areaOfShape(shape);
  const corners = { lon: 8.51, lat: 47.42 };
  expect(bboxContains(groundOf(shape).bbox, corners.lon, corners.lat)).toBe(true);
  expect(areaContains(area, corners.lon, corners.lat)).toBe(false);
  expect(areaContains(area, 8.52, 47.4009)).toBe(true);
});

test('the rings of a polygon with a hole are two, and those of a bent corridor one', () => {
  const square = (sizeDeg: number): [number, number][] => [
    [8 - sizeDeg, 47 - sizeDeg],
    [8 + sizeDeg, 47 - sizeDeg],
    [8 + sizeDeg, 47 + sizeDeg],
    [8 - sizeDeg, 47 + sizeDeg],
    [8 - sizeDeg, 47 - sizeDeg],
  ];
  expect(areaRings(areaOfShape({ type: 'Polygon', coordinates: [square(0.1), square(0.05)] }))).toHaveLength(2);
  const bent: ZoneShape = {
    type: 'Corridor',
    line: [
      [8, 47],
      [8.1, 47],
      [8.1, 47.1],
    ],
    half_width_m: 500,
  };
  expect(areaRings(areaOfShape(bent))).toHaveLength(1);
});

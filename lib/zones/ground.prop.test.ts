import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bboxContains } from '#lib/geo/bbox.ts';
import { destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { groundWorld } from './arbitrary-ground.fixture.ts';
import { groundOf } from './ground.ts';

const world = groundWorld();
const between = (from: LonLat, to: LonLat, share: number): LonLat => ({
  lon: wrapLongitude(from.lon + share * wrapLongitude(to.lon - from.lon)),
  lat: from.lat + share * (to.lat - from.lat),
});

describe('a ground shape', () => {
  test('contains only places in its box', () => {
    fc.assert(
      fc.property(world, ([shape, place]) => {
        const ground = groundOf(shape);
        if (ground.contains(place.lon, place.lat)) expect(bboxContains(ground.bbox, place.lon, place.lat)).toBe(true);
      }),
    );
  });

  test('has no other side nearer than its edge, and another side just beyond it', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 0, max: 359 }), ([shape, place], course) => {
        const ground = groundOf(shape);
        const isInside = ground.contains(place.lon, place.lat);
        const edgeM = ground.edgeM(place);
        const nearer = destination(place, course, edgeM * 0.98);
        expect(ground.contains(nearer.lon, nearer.lat)).toBe(isInside);
        // Legs of a corridor overlap.
        if (shape.type === 'Corridor' && isInside) return;
        const around = Array.from({ length: 720 }, (_, step) => destination(place, step / 2, edgeM * 1.01 + 0.5));
        expect(around.some(({ lon, lat }) => ground.contains(lon, lat) !== isInside)).toBe(true);
      }),
    );
  });

  test('is touched by a line that has a place of it, and by no line whose places are all well outside', () => {
    fc.assert(
      fc.property(world, ([shape, from, to]) => {
        const ground = groundOf(shape);
        const places = Array.from({ length: 401 }, (_, step) => between(from, to, step / 400));
        const isInside = places.some(({ lon, lat }) => ground.contains(lon, lat));
        const isFar = places.every(
          (place) => !ground.contains(place.lon, place.lat) && ground.edgeM(place) > distanceM(from, to) / 400 + 1,
        );
        if (isInside) expect(ground.lineTouches(from, to)).toBe(true);
        if (isFar) expect(ground.lineTouches(from, to)).toBe(false);
      }),
    );
  });

  test('has holes that do not belong to it, but for their edge', () => {
    const ring = (sizeDeg: number): [number, number][] =>
      [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
        [-1, -1],
      ].map(([x = 0, y = 0]) => [x * sizeDeg, y * sizeDeg]);
    const ground = groundOf({ type: 'Polygon', coordinates: [ring(2), ring(1)] });
    expect([0, 0.5, 1, 1.5, 2, 2.5].map((lon) => ground.contains(lon, 0))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(ground.lineTouches({ lon: -0.5, lat: 0 }, { lon: 0.5, lat: 0.3 })).toBe(false);
    expect(ground.lineTouches({ lon: 0, lat: 0 }, { lon: 3, lat: 0 })).toBe(true);
  });
});

test('some place of a shape is at least its depth from the edge, also with holes and on both sides of 180°', () => {
  const GRID = 40;
  fc.assert(
    fc.property(world, ([shape]) => {
      const ground = groundOf(shape);
      const { west, south, east, north } = ground.bbox;
      const wideDeg = (east - west + 360) % 360;
      let deepestM = 0;
      for (let at = 0; at < GRID * GRID; at++) {
        const lon = wrapLongitude(west + (((at % GRID) + 0.5) / GRID) * wideDeg);
        const lat = south + ((Math.floor(at / GRID) + 0.5) / GRID) * (north - south);
        if (ground.contains(lon, lat)) deepestM = Math.max(deepestM, ground.edgeM({ lon, lat }));
      }
      const cellM = distanceM(
        { lon: west, lat: south },
        { lon: west + wideDeg / GRID, lat: south + (north - south) / GRID },
      );
      expect(deepestM + cellM).toBeGreaterThanOrEqual(ground.depthM);
      expect(ground.depthM).toBeGreaterThan(0);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { decimal } from '../../../geo/arbitrary-bbox.fixture.ts';
import { CountGrid } from './densities.ts';
import { requestCost } from './request-cost.ts';

const seen = { west: -20, south: -20, east: 20, north: 20 };
/** Boxes along the borders of cells. */
const cellBox = fc
  .tuple(fc.integer({ min: -40, max: 39 }), fc.integer({ min: -40, max: 39 }), fc.nat({ max: 79 }), fc.nat({ max: 79 }))
  .map(
    ([west, south, columns, rows]): Bbox => ({
      west: west / 2,
      south: south / 2,
      east: Math.min(20, (west + columns + 1) / 2),
      north: Math.min(20, (south + rows + 1) / 2),
    }),
  );
const largest = fc
  .record({ west: decimal(-180, 150), south: decimal(-90, 60) })
  .map(({ west, south }): Bbox => ({ west, south, east: west + 30, north: south + 30 }));
/** Away from the borders of cells. */
const point = fc.record({
  lon: fc.integer({ min: -40, max: 39 }).map((cell) => cell / 2 + 0.2),
  lat: fc.integer({ min: -40, max: 39 }).map((cell) => cell / 2 + 0.3),
});
const points = fc.array(point, { maxLength: 60 });

const inside = ({ west, south, east, north }: Bbox, places: readonly { lon: number; lat: number }[]) =>
  places.filter(({ lon, lat }) => lon > west && lon < east && lat > south && lat < north);

describe('CountGrid', () => {
  test('an unknown area of maximum size costs one request, wherever it lies', () => {
    const grid = new CountGrid();
    fc.assert(
      fc.property(largest, (area) => {
        expect(requestCost(grid.expected(area))).toBe(1);
        expect(grid.expected(area)).toBeCloseTo(900, 6);
      }),
    );
  });

  test('expects exactly what it saw once, in every box of whole cells', () => {
    fc.assert(
      fc.property(points, cellBox, (places, box) => {
        const grid = new CountGrid();
        grid.learn(seen, places);
        expect(grid.expected(box)).toBeCloseTo(inside(box, places).length, 6);
      }),
    );
  });

  test('is never negative, and the two parts of a box add up to the whole', () => {
    fc.assert(
      fc.property(largest, fc.double({ min: 0, max: 1, noNaN: true }), points, (area, part, places) => {
        const grid = new CountGrid();
        grid.learn(seen, places);
        const lon = Math.min(area.east, area.west + 30 * part);
        const lat = Math.min(area.north, area.south + 30 * part);
        const whole = grid.expected(area);
        const left = grid.expected({ ...area, east: lon });
        const below = grid.expected({ ...area, north: lat });
        expect(left).toBeGreaterThanOrEqual(-1e-6);
        expect(below).toBeGreaterThanOrEqual(-1e-6);
        expect(left + grid.expected({ ...area, west: lon })).toBeCloseTo(whole, 6);
        expect(below + grid.expected({ ...area, south: lat })).toBeCloseTo(whole, 6);
      }),
    );
  });

  test('seeing part of a cell never lowers its count, and raises it to at least that of the part', () => {
    const cell = { west: 8, south: 47, east: 8.5, north: 47.5 };
    const records = (count: number) => Array.from({ length: count }, () => ({ lon: 8.1, lat: 47.1 }));
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.nat({ max: 500 }), (whole, part) => {
        const grid = new CountGrid();
        grid.learn(cell, records(whole));
        for (let refresh = 0; refresh < 40; refresh++) grid.learn({ ...cell, east: 8.25 }, records(part));
        expect(grid.expected(cell)).toBeCloseTo(Math.max(whole, part), 2);
        expect(grid.expected(cell)).toBeGreaterThanOrEqual(whole);
      }),
    );
  });

  test('counts are averaged: a jump is approached gradually, and reached in the end', () => {
    const cell = { west: 8, south: 47, east: 8.5, north: 47.5 };
    const grid = new CountGrid();
    grid.learn(cell, []);
    const expected = Array.from({ length: 30 }, () => {
      grid.learn(
        cell,
        Array.from({ length: 100 }, () => ({ lon: 8.25, lat: 47.25 })),
      );
      return grid.expected(cell);
    });
    expect(expected.every((count, index) => index === 0 || count > (expected[index - 1] as number))).toBe(true);
    expect(expected[0]).toBeLessThan(50);
    expect(expected[3]).toBeGreaterThan(75);
    expect(expected[29]).toBeCloseTo(100, 1);
  });

  test('counts records on the edges of the world, and none outside the refreshed box', () => {
    const grid = new CountGrid();
    grid.learn({ west: 170, south: 80, east: 180, north: 90 }, [
      { lon: 180, lat: 90 },
      { lon: 180, lat: 85.1 },
      { lon: 175.1, lat: 90 },
      { lon: 169.9, lat: 85 },
      { lon: -180, lat: 85 },
    ]);
    expect(grid.expected({ west: 170, south: 80, east: 180, north: 90 })).toBeCloseTo(3, 6);
    expect(grid.expected({ west: -180, south: 80, east: -170, north: 90 })).toBeCloseTo(0.25 * 400, 6);
  });
});

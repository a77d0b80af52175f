import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bboxesOverlap, formatBbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { decimal } from '../../../geo/arbitrary-bbox.fixture.ts';
import { quarterBbox, SMALLEST_SIDE_DEG } from './box-slices.ts';

const bbox = fc
  .record({ west: decimal(-180, 174), south: decimal(-90, 84), width: decimal(0.01, 5), height: decimal(0.01, 5) })
  .map(({ west, south, width, height }) => ({ west, south, east: west + width, north: south + height }));

test('quarters share no area, meet on one line each way, and cover the box', () => {
  fc.assert(
    fc.property(bbox, (box) => {
      const quarters = quarterBbox(box);
      if (quarters.length === 0) return;
      for (const [index, one] of quarters.entries()) {
        for (const other of quarters.slice(index + 1)) expect(bboxesOverlap(one, other)).toBe(false);
      }
      const edges = (side: 'west' | 'south' | 'east' | 'north') => [
        ...new Set(quarters.map((quarter) => quarter[side])),
      ];
      const inner = (from: readonly number[], to: readonly number[]) => from.filter((edge) => to.includes(edge));
      expect([Math.min(...edges('west')), Math.min(...edges('south'))]).toEqual([box.west, box.south]);
      expect([Math.max(...edges('east')), Math.max(...edges('north'))]).toEqual([box.east, box.north]);
      const [lons, lats] = [inner(edges('west'), edges('east')), inner(edges('south'), edges('north'))];
      expect(quarters).toHaveLength((lons.length + 1) * (lats.length + 1));
    }),
  );
});

test('a line between quarters survives formatting and parsing', () => {
  fc.assert(
    fc.property(bbox, (box) => {
      for (const quarter of quarterBbox(box)) {
        const read = parseBbox(formatBbox(quarter));
        if (!read.ok) throw new Error(read.message);
        if (quarter.west !== box.west) expect(read.bbox.west).toBe(quarter.west);
        if (quarter.north !== box.north) expect(read.bbox.north).toBe(quarter.north);
      }
    }),
  );
});

test('sides are at least about the smallest, and a box under twice the smallest is not cut', () => {
  fc.assert(
    fc.property(bbox, (box) => {
      for (const { west, south, east, north } of quarterBbox(box)) {
        expect(Math.min(east - west, box.east - box.west)).toBeGreaterThan(Math.min(0.7 * SMALLEST_SIDE_DEG, 0.009));
        expect(Math.min(north - south, box.north - box.south)).toBeGreaterThan(
          Math.min(0.7 * SMALLEST_SIDE_DEG, 0.009),
        );
      }
    }),
  );
  expect(quarterBbox({ west: 8, south: 47, east: 8 + 1.9 / 64, north: 47 + 1.9 / 64 })).toEqual([]);
});

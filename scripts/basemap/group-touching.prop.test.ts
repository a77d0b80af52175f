import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupTouching } from './lakes.ts';
import type { Ring } from './planar-ring.ts';

const square = fc
  .record({ west: fc.integer({ min: -40, max: 40 }), south: fc.integer({ min: -40, max: 40 }) })
  .map(({ west, south }): Ring => {
    const [lon, lat] = [west / 10, south / 10];
    return [
      [lon, lat],
      [lon, lat + 0.05],
      [lon + 0.05, lat + 0.05],
      [lon, lat],
    ];
  });

test('every ring is in exactly one group, and close rings are in the same group', () => {
  fc.assert(
    fc.property(fc.array(square, { maxLength: 60 }), (rings) => {
      const groups = groupTouching(rings, 0.06);
      expect(groups.flat().sort((a, b) => a - b)).toEqual([...rings.keys()]);
      const groupOf = new Map(groups.flatMap((group, g) => group.map((i) => [i, g] as const)));
      for (const [i, a] of rings.entries()) {
        for (const [j, b] of rings.entries()) {
          // Squares of 0.05° on a grid of 0.1°.
          const near = Math.abs(a[0]![0] - b[0]![0]) < 0.15 && Math.abs(a[0]![1] - b[0]![1]) < 0.15;
          if (near) expect(groupOf.get(i)).toBe(groupOf.get(j));
        }
      }
    }),
  );
});

test('rings out of reach stay apart', () => {
  const far: Ring[] = [0, 1, 2].map((lon) => [
    [lon, 0],
    [lon, 0.1],
    [lon + 0.1, 0.1],
    [lon, 0],
  ]);
  expect(groupTouching(far, 0.5)).toHaveLength(3);
  expect(groupTouching(far, 0.95)).toHaveLength(1);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { briefRows } from './brief-rows.ts';

describe('briefRows', () => {
  test('a value between breaks, at either end too, is always brief; 0 is a value', () => {
    const values = [0, null, 1, 2, null, 3, null, null, 4];
    const atMs = [0, 10, 20, 30, 40, 50, 60, 70, 80];
    expect(briefRows(atMs, values, 1)).toEqual([0, 5, 8]);
  });

  test('a run is brief as a whole, below the span and not from it on', () => {
    const atMs = [0, 5, 9, 20];
    expect(briefRows(atMs, [1, 1, 1, null], 10)).toEqual([0, 1, 2]);
    expect(briefRows(atMs, [1, 1, 1, null], 9)).toEqual([]);
  });

  test('only rows with values are brief, and every value alone is', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer())), fc.integer({ min: 1, max: 40 }), (values, leastMs) => {
        const brief = new Set(
          briefRows(
            values.map((_, row) => row * 10),
            values,
            leastMs,
          ),
        );
        for (const [row, value] of values.entries()) {
          const isAlone = (values[row - 1] ?? null) === null && (values[row + 1] ?? null) === null;
          if (value === null) expect(brief.has(row)).toBe(false);
          else if (isAlone) expect(brief.has(row)).toBe(true);
        }
      }),
    );
  });
});

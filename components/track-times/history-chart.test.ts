import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { briefRows, timeRange, valueRange } from './history-chart.ts';

describe('valueRange', () => {
  test('constant values lie in the middle of the minimum span', () => {
    expect(valueRange(430, 430, 20)).toEqual([420, 440]);
  });

  test('reaches hardly below 0 if no value does', () => {
    expect(valueRange(0, 4, 25)).toEqual([-1, 24]);
    expect(valueRange(-5, 5, 20)).toEqual([-10, 10]);
  });

  test('covers all values and at least the minimum span', () => {
    const value = fc.integer({ min: -1000, max: 50_000 });
    fc.assert(
      fc.property(value, value, fc.integer({ min: 1, max: 100 }), (one, other, minSpan) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        const [from, to] = valueRange(min, max, minSpan);
        expect(from).toBeLessThanOrEqual(min);
        expect(to).toBeGreaterThanOrEqual(max);
        expect(to - from).toBeGreaterThanOrEqual(minSpan - 1e-6);
      }),
    );
  });
});

test('the time axis spans the track, and a minute at least', () => {
  const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(at, fc.integer({ min: 0, max: 3_600_000 }), (firstMs, lengthMs) => {
      const [from, to] = timeRange(firstMs, firstMs + lengthMs);
      expect(to - from).toBe(Math.max(60_000, lengthMs));
      expect(firstMs - from).toBe(to - (firstMs + lengthMs));
    }),
  );
});

describe('briefRows', () => {
  test('a value between breaks or at either end is always brief; 0 is a value', () => {
    const values = [0, null, 1, 2, null, 3, null, null, 4];
    const atMs = [0, 10, 20, 30, 40, 50, 60, 70, 80];
    expect(briefRows(atMs, values, 1)).toEqual([0, 5, 8]);
  });

  test('a run shorter than the limit is brief as a whole; one of exactly the limit is not', () => {
    const atMs = [0, 5, 9, 20];
    expect(briefRows(atMs, [1, 1, 1, null], 10)).toEqual([0, 1, 2]);
    expect(briefRows(atMs, [1, 1, 1, null], 9)).toEqual([]);
  });

  test('only rows with values are brief, and every isolated value is', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer())), fc.integer({ min: 1, max: 40 }), (values, minMs) => {
        const brief = new Set(
          briefRows(
            values.map((_, row) => row * 10),
            values,
            minMs,
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

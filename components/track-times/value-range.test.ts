import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueRange } from './value-range.ts';

describe('valueRange', () => {
  test('steady values stand in the middle of the least span', () => {
    expect(valueRange(430, 430, 20)).toEqual([420, 440]);
  });

  test('hardly reaches below 0 for values from 0, and does for values below', () => {
    expect(valueRange(0, 4, 25)).toEqual([-1, 24]);
    expect(valueRange(-5, 5, 20)).toEqual([-10, 10]);
  });

  test('holds all values and at least the least span', () => {
    const value = fc.integer({ min: -1000, max: 50_000 });
    fc.assert(
      fc.property(value, value, fc.integer({ min: 1, max: 100 }), (one, other, leastSpan) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        const [from, to] = valueRange(min, max, leastSpan);
        expect(from).toBeLessThanOrEqual(min);
        expect(to).toBeGreaterThanOrEqual(max);
        expect(to - from).toBeGreaterThanOrEqual(leastSpan - 1e-6);
      }),
    );
  });
});

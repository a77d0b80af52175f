import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grown, lastAtMost, sortByTime } from './typed-arrays.ts';

test('a grown column keeps its numbers and its kind, and ends with zeros', () => {
  expect(grown(Int32Array.of(-1, 2))).toEqual(Int32Array.of(-1, 2, 0, 0));
  expect(grown(Float64Array.of(0.5), 3)).toEqual(Float64Array.of(0.5, 0, 0));
});

test('rows are sorted by time, and rows of one time keep their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (timesMs) => {
      const rows = Uint32Array.from(timesMs.keys());
      sortByTime(rows, timesMs);
      expect([...rows]).toEqual([...timesMs.keys()].sort((a, b) => timesMs[a]! - timesMs[b]! || a - b));
    }),
  );
});

test('the last number at most a value is found', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30), { minLength: 1 }), fc.nat(40), (numbers, beyond) => {
      const ascending = numbers.toSorted((a, b) => a - b);
      const value = ascending[0]! + beyond;
      expect(lastAtMost(ascending, value)).toBe(ascending.findLastIndex((number) => number <= value));
    }),
  );
});

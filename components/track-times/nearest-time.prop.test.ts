import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestTime } from './nearest-time.ts';

test('finds the nearest time, the earlier one of two equally near', () => {
  const times = fc.uniqueArray(fc.nat(200), { minLength: 1 }).map((list) => Float64Array.from(list).sort());
  fc.assert(
    fc.property(times, fc.integer({ min: -20, max: 220 }), (timesMs, atMs) => {
      const apart = Array.from(timesMs, (timeMs) => Math.abs(timeMs - atMs));
      expect(nearestTime(timesMs, atMs)).toBe(apart.indexOf(Math.min(...apart)));
    }),
  );
});

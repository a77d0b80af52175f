import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeBackoff } from './backoff.ts';

test('doubles the wait after each failure, from a second to the longest wait, minus up to half', () => {
  const dice = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(dice, fc.constantFrom(3_000, 60_000), (throws, longestMs) => {
      let next = 0;
      const backoff = makeBackoff(() => throws[next++]!);
      for (const failures of throws.keys()) {
        const longest = Math.min(longestMs, 1_000 * 2 ** failures);
        const waitMs = backoff.nextMs(longestMs);
        expect(waitMs).toBeGreaterThanOrEqual(longest / 2);
        expect(waitMs).toBeLessThanOrEqual(longest);
      }
      next = 0;
      backoff.reset();
      expect(backoff.nextMs()).toBeLessThanOrEqual(1_000);
    }),
  );
});

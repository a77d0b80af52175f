import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeBackoff } from './backoff.ts';

test('each wait is between half of and a whole second, minute at most, and doubles with the failures before it', () => {
  const dice = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(dice, (throws) => {
      let next = 0;
      const backoff = makeBackoff(() => throws[next++]!);
      for (const failures of throws.keys()) {
        const longest = Math.min(60_000, 1_000 * 2 ** failures);
        const waitMs = backoff.nextMs();
        expect(waitMs).toBeGreaterThanOrEqual(longest / 2);
        expect(waitMs).toBeLessThanOrEqual(longest);
      }
      next = 0;
      backoff.reset();
      expect(backoff.nextMs()).toBeLessThanOrEqual(1_000);
    }),
  );
});

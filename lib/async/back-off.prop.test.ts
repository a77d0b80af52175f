import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffMs, fullJitterMs, halfJitterMs } from './back-off.ts';

const bounds = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 1_000_000 }))
  .map(([firstMs, moreMs]) => ({ firstMs, maxMs: firstMs + moreMs }));

test('a wait starts at the first, doubles with each failure, and stays at the longest, however many fail', () => {
  fc.assert(
    fc.property(bounds, fc.integer({ min: 1, max: 5000 }), (times, failures) => {
      expect(backOffMs(1, times)).toBe(times.firstMs);
      const wait = backOffMs(failures, times);
      expect(backOffMs(failures + 1, times)).toBe(Math.min(times.maxMs, 2 * wait));
    }),
  );
});

test('jitter is within its bounds', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), share, (ms, random) => {
      const full = fullJitterMs(ms, () => random);
      const half = halfJitterMs(ms, () => random);
      expect(full).toBeGreaterThanOrEqual(0);
      expect(full).toBeLessThanOrEqual(ms);
      expect(half).toBeGreaterThanOrEqual(Math.floor(ms / 2));
      expect(half).toBeLessThanOrEqual(ms);
    }),
  );
});

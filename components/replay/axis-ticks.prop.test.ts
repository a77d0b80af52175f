import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { axisTicks } from './axis-ticks.ts';

test('ticks are whole minutes in the window, equally far apart, and few enough', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2e12 }).map(upstreamInstant),
      fc.integer({ min: 60_000, max: 3_600_000 }),
      fc.integer({ min: 4, max: 12 }),
      (start, length, maxTicks) => {
        const ticks = axisTicks({ start, end: addMs(start, length) }, maxTicks);
        expect(ticks.length).toBeGreaterThan(0);
        // One more where both ends of the window are ticks.
        expect(ticks.length).toBeLessThanOrEqual(maxTicks + 1);
        for (const at of ticks) {
          expect(at % 60_000).toBe(0);
          expect(at).toBeGreaterThanOrEqual(epochMs(start));
          expect(at).toBeLessThanOrEqual(epochMs(start) + length);
        }
        const steps = new Set(ticks.slice(1).map((at, index) => at - (ticks[index] as number)));
        expect(steps.size).toBeLessThanOrEqual(1);
      },
    ),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOCK_ZONES, shortClockText } from '#lib/model/clock-text.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { axisTicks } from '#lib/time/window.ts';
import { MAX_TICKS } from './timeline.tsx';

const AXIS_PX = { narrow: 290, wide: 610 } as const;
const CHARACTER_PX = 6.1;

test('ticks are whole minutes in the window, equally far apart, and few enough', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2e12 }).map(upstreamInstant),
      fc.integer({ min: 60_000, max: 86_400_000 }),
      fc.integer({ min: 4, max: 12 }),
      (start, length, maxTicks) => {
        const ticks = axisTicks({ start, end: addMs(start, length) }, maxTicks);
        expect(ticks.length).toBeGreaterThan(0);
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

test('no label covers another, on a phone or a desk, in either zone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2e12 }),
      fc.integer({ min: 60_000, max: 86_400_000 }),
      fc.constantFrom(...CLOCK_ZONES),
      fc.constantFrom('narrow' as const, 'wide' as const),
      (startMs, length, zone, width) => {
        const start = upstreamInstant(startMs);
        const labels = axisTicks({ start, end: addMs(start, length) }, MAX_TICKS[width][zone]).map((at) => {
          const middlePx = ((at - startMs) / length) * AXIS_PX[width];
          const widthPx = shortClockText(upstreamInstant(at), zone).length * CHARACTER_PX;
          return { middlePx, widthPx };
        });
        for (const [index, { middlePx, widthPx }] of labels.slice(1).entries())
          expect(middlePx - (labels[index]?.middlePx ?? 0)).toBeGreaterThan(1.5 * widthPx);
      },
    ),
  );
});

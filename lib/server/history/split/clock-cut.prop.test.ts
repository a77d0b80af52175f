import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { cutAfter, cutBefore, isSmallestWindow } from './clock-cut.ts';

const instant = fc.integer({ min: 0, max: 10_000_000 }).map(upstreamInstant);
const lengthMs = fc.integer({ min: 1, max: 3_600_000 });
const ms = (value: number): UpstreamInstant => upstreamInstant(value);

test('cuts are on whole seconds inside the window, and give up little of the part', () => {
  fc.assert(
    fc.property(instant, lengthMs, (start, length) => {
      const cut = cutBefore(start, epochMs(start) + length);
      expect(epochMs(cut) % 1000).toBe(0);
      expect(cut).toBeGreaterThan(epochMs(start));
      if (length >= 25_000) expect(epochMs(start) + length - epochMs(cut)).toBeLessThanOrEqual(length * 0.04);
      if (!isSmallestWindow({ start, end: ms(epochMs(start) + length) }))
        expect(cut).toBeLessThanOrEqual(epochMs(start) + length);
    }),
  );
});

test('cutting backwards is the mirror image', () => {
  fc.assert(
    fc.property(instant, lengthMs, (end, length) => {
      const cut = cutAfter(end, epochMs(end) - length);
      expect(Math.abs(epochMs(cut) % 1000)).toBe(0);
      expect(cut).toBeLessThan(epochMs(end));
      expect(Math.abs(epochMs(cut) + epochMs(cutBefore(ms(-epochMs(end)), -epochMs(end) + length)))).toBe(0);
    }),
  );
});

test('long parts end on multiples of five minutes', () => {
  expect(cutBefore(ms(0), 50 * 60_000 + 90_000)).toBe(50 * 60_000);
});

test('a window without a whole second inside is the smallest', () => {
  expect(isSmallestWindow({ start: ms(5000), end: ms(6000) })).toBe(true);
  expect(isSmallestWindow({ start: ms(5200), end: ms(5900) })).toBe(true);
  expect(isSmallestWindow({ start: ms(5000), end: ms(6001) })).toBe(false);
});

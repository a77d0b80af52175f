import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Instant, instantFromMs } from '#lib/time/instant.ts';
import { cutAfter, cutBefore, isSmallestWindow } from './clock-cut.ts';

const instant = fc.integer({ min: 0, max: 10_000_000 }).map(instantFromMs);
const lengthMs = fc.integer({ min: 1, max: 3_600_000 });
const ms = (value: number): Instant => instantFromMs(value);

test('cuts lie on whole seconds inside the window, and give up at most a little of the part', () => {
  fc.assert(
    fc.property(instant, lengthMs, (start, length) => {
      const cut = cutBefore(start, start + length);
      expect(cut % 1000).toBe(0);
      expect(cut).toBeGreaterThan(start);
      if (length >= 25_000) expect(start + length - cut).toBeLessThanOrEqual(length * 0.04);
      if (!isSmallestWindow({ start, end: ms(start + length) })) expect(cut).toBeLessThanOrEqual(start + length);
    }),
  );
});

test('backwards is the same, mirrored', () => {
  fc.assert(
    fc.property(instant, lengthMs, (end, length) => {
      const cut = cutAfter(end, end - length);
      expect(Math.abs(cut % 1000)).toBe(0);
      expect(cut).toBeLessThan(end);
      expect(Math.abs(cut + cutBefore(ms(-end), -end + length))).toBe(0);
    }),
  );
});

test('long parts end on lines of five minutes', () => {
  expect(cutBefore(ms(0), 50 * 60_000 + 90_000)).toBe(50 * 60_000);
});

test('a window is the smallest where it has no whole second inside', () => {
  expect(isSmallestWindow({ start: ms(5000), end: ms(6000) })).toBe(true);
  expect(isSmallestWindow({ start: ms(5200), end: ms(5900) })).toBe(true);
  expect(isSmallestWindow({ start: ms(5000), end: ms(6001) })).toBe(false);
});

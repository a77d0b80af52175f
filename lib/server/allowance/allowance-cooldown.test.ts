import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { allowanceNumber, dayUsedUpUntil, refusedUntil } from './allowance-cooldown.ts';

const now = fc.integer({ min: Date.UTC(2026, 10, 21), max: Date.UTC(2026, 10, 24) }).map(upstreamInstant);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('allowanceNumber', () => {
  test.each([undefined, '', ' ', '-1', '1.5', '1e3', 'many', '0x10', '1, 2', '9'.repeat(20)])(
    '%j is unknown: neither 0 nor a number',
    (header) => {
      expect(allowanceNumber(header)).toBeUndefined();
    },
  );

  test('0 and whole numbers are read as they are', () => {
    expect(['0', ' 12 ', '007'].map(allowanceNumber)).toEqual([0, 12, 7]);
  });
});

describe('a used-up day', () => {
  test('lasts past midnight UTC, and ends within the minute', () => {
    fc.assert(
      fc.property(now, random, (at, part) => {
        const until = dayUsedUpUntil(at, () => part);
        expect(until).toBeGreaterThan(epochMs(nextUtcMidnight(at)));
        expect(until).toBeLessThan(epochMs(nextUtcMidnight(at)) + 60_000);
      }),
    );
  });
});

describe('the pause after a 429 without Retry-After', () => {
  test('lasts past the minute, and no longer, whatever is left of the day', () => {
    fc.assert(
      fc.property(now, (at) => {
        const until = refusedUntil(at);
        expect(until).toBeGreaterThan(epochMs(nextMinute(at)));
        expect(msBetween(at, until)).toBeLessThanOrEqual(61_000);
      }),
    );
  });
});

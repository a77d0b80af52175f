import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { afterFailure, countOf, takenBack, tallyEnd, waitS } from './sign-in-throttle.ts';

const START = localInstant(Date.UTC(2026, 10, 21, 12));
const limits = fc.record({ free: fc.integer({ min: 0, max: 30 }), windowMs: fc.integer({ min: 1000, max: 1e7 }) });
const tallies = fc
  .record({
    count: fc.nat(1e6),
    countedMs: fc.integer({ min: -1e9, max: 1e9 }),
    delayedMs: fc.integer({ min: -1e9, max: 1e9 }),
  })
  .map(({ count, countedMs, delayedMs }) => ({
    count,
    countedUntil: addMs(START, countedMs),
    delayedUntil: addMs(START, delayedMs),
  }));

test('no wait exceeds five minutes, for any tally and any change of its clock', () => {
  fc.assert(
    fc.property(tallies, limits, (tally, limit) => {
      for (const each of [tally, afterFailure(tally, limit, START), takenBack(tally)]) {
        expect(waitS(each, START)).toBeGreaterThanOrEqual(0);
        expect(waitS(each, START)).toBeLessThanOrEqual(300);
      }
    }),
  );
});

test('each failure counts once, until its window ends; those that are over the free ones delay', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 40 }), (limit, times) => {
      let tally = afterFailure(undefined, limit, START);
      for (let more = 1; more < times; more++) tally = afterFailure(tally, limit, START);
      expect(countOf(tally, limit, START)).toBe(times);
      expect(waitS(tally, START) > 0).toBe(times >= limit.free);
      expect(countOf(takenBack(tally), limit, START)).toBe(times - 1);
      expect(countOf(tally, limit, addMs(START, limit.windowMs))).toBe(0);
      expect(waitS(tally, tallyEnd(tally))).toBe(0);
    }),
  );
});

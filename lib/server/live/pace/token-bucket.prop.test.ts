import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { TokenBucket } from './token-bucket.ts';

const start = localInstant(Date.UTC(2026, 10, 21, 12));
const rate = fc.double({ min: 0.001, max: 5, noNaN: true });
const capacity = fc.double({ min: 0, max: 30, noNaN: true });
const requests = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });

function bucketOf(ratePerS: number, size: number): TokenBucket {
  const bucket = new TokenBucket();
  bucket.set(ratePerS, size, start);
  return bucket;
}

/** @returns when each became available */
function takeInOrder(bucket: TokenBucket, wanted: readonly number[]): readonly LocalInstant[] {
  let now = start;
  return wanted.map((each) => {
    const at = bucket.availableAt(each, now);
    if (at === undefined) throw new Error('at a rate above 0 every request becomes available');
    now = at;
    expect(bucket.availableAt(each, now)).toBe(now);
    bucket.take(each, now);
    return now;
  });
}

describe('TokenBucket', () => {
  test('in every period, at most the rate and one capacity, or one larger request, are taken', () => {
    fc.assert(
      fc.property(rate, capacity, requests, (ratePerS, size, wanted) => {
        const times = takeInOrder(bucketOf(ratePerS, size), wanted);
        for (const [first, from] of times.entries()) {
          let taken = 0;
          for (let index = first; index < times.length; index++) {
            taken += wanted[index] as number;
            const given = (ratePerS * msBetween(from, times[index] as LocalInstant)) / 1000;
            const largest = Math.max(...wanted.slice(first, index + 1));
            expect(taken).toBeLessThanOrEqual(given + Math.max(size, largest) + 1e-3);
          }
        }
      }),
    );
  });

  test('the times estimated for a queue come true while the rate stays', () => {
    fc.assert(
      fc.property(rate, capacity, requests, fc.nat(20), (ratePerS, size, wanted, taken) => {
        const bucket = bucketOf(ratePerS, size);
        bucket.take(taken, start);
        let before = 0;
        const estimated = wanted.map((each) => {
          const at = bucket.availableAt(each, start, before);
          before += each;
          return at ?? start;
        });
        for (const [index, at] of takeInOrder(bucket, wanted).entries()) {
          // Each turn is rounded up to a millisecond.
          expect(Math.abs(msBetween(estimated[index] as LocalInstant, at))).toBeLessThanOrEqual(wanted.length);
        }
      }),
    );
  });

  test('a full bucket lets one request of any size pass, and at a rate of 0 no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (each) => {
        const bucket = bucketOf(0, 0);
        expect(bucket.availableAt(each, start)).toBe(start);
        bucket.take(each, start);
        expect(bucket.availableAt(1, start)).toBeUndefined();
      }),
    );
  });

  test('taking tokens and giving them back changes nothing', () => {
    fc.assert(
      fc.property(rate, capacity, fc.nat(20), (ratePerS, size, taken) => {
        const bucket = bucketOf(ratePerS, size);
        bucket.take(taken, start);
        const before = bucket.availableAt(3, start);
        bucket.take(7, start);
        bucket.take(-7, start);
        expect(bucket.availableAt(3, start)).toBe(before);
      }),
    );
  });

  test('setting the clock back refills nothing', () => {
    const bucket = bucketOf(1, 10);
    bucket.take(10, start);
    expect(bucket.lacking(addMs(start, -3_600_000))).toBe(10);
    expect(bucket.lacking(addMs(start, 1000))).toBe(9);
  });
});

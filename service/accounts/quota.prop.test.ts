import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { fullAccessAccount } from '../server/start-service.ts';
import { makeQuota } from './quota.ts';

const START = Date.UTC(2026, 10, 21, 23, 50);

test('for any request times: no calendar minute or UTC day is overspent, and no request is refused with allowance left', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 120 });
  const size = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(gaps, size, size, (gaps, perMinute, perDay) => {
      let now = upstreamInstant(START);
      const quota = makeQuota(() => now);
      const account = fullAccessAccount('quota-key-01234567890', { perMinute, perDay }, now);
      const spentIn = new Map<string, number>();
      for (const gap of gaps) {
        now = addMs(now, gap);
        const minute = `minute ${Math.floor(epochMs(now) / 60_000)}`;
        const day = `day ${Math.floor(epochMs(now) / 86_400_000)}`;
        const spent = { minute: spentIn.get(minute) ?? 0, day: spentIn.get(day) ?? 0 };
        const spending = quota.spend(account);
        expect(spending.granted).toBe(spent.minute < perMinute && spent.day < perDay);
        const one = spending.granted ? 1 : 0;
        expect(spending.left).toEqual({ minute: perMinute - spent.minute - one, day: perDay - spent.day - one });
        spentIn.set(minute, spent.minute + one);
        spentIn.set(day, spent.day + one);
      }
    }),
  );
});

test('waiting as long as Retry-After says is enough, and a second less is not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400_000 - 1 }), fc.boolean(), (msIntoDay, dayUsedUp) => {
      let now = upstreamInstant(Date.UTC(2026, 10, 21) + msIntoDay);
      const quota = makeQuota(() => now);
      const allowance = dayUsedUp ? { perMinute: 9, perDay: 1 } : { perMinute: 1, perDay: 9 };
      const account = fullAccessAccount('quota-key-01234567890', allowance, now);
      quota.spend(account);
      const refused = quota.spend(account);
      if (refused.granted) throw new Error('the second request was granted');
      const refusedAt = now;
      now = addMs(refusedAt, (refused.retryAfterS - 1) * 1000);
      expect(quota.spend(account).granted).toBe(false);
      now = addMs(refusedAt, refused.retryAfterS * 1000);
      expect(quota.spend(account).granted).toBe(true);
    }),
  );
});

test('a clock that is set back does not reset the counters', () => {
  let now = upstreamInstant(START);
  const quota = makeQuota(() => now);
  const account = fullAccessAccount('quota-key-01234567890', { perMinute: 1, perDay: 9 }, now);
  expect(quota.spend(account).granted).toBe(true);
  now = upstreamInstant(START - 3_600_000);
  expect(quota.spend(account).granted).toBe(false);
});

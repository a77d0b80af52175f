import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Account, ALL_SCOPES, type Allowance } from './account.ts';
import type { Quota } from './quota.ts';

/** Ten minutes before midnight UTC. */
const START = upstreamInstant(Date.UTC(2026, 10, 21, 23, 50));

export interface QuotaUnderTest {
  readonly quota: Quota;
  readonly accountId: string;
}

export function declareQuotaSuite(
  name: string,
  make: (now: () => UpstreamInstant) => Promise<QuotaUnderTest>,
  numRuns: number,
): void {
  let now = START;
  async function begin(allowance: Allowance, at = START) {
    now = at;
    const { quota, accountId } = await make(() => now);
    const account = accountWith(accountId, allowance);
    return { quota, spend: () => quota.spend(account), account };
  }

  describe(`${name} as a quota`, () => {
    test('for any request times: no calendar minute or UTC day is overspent, and none is refused with allowance left', () => {
      const gaps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 120 });
      const size = fc.integer({ min: 1, max: 12 });
      return fc.assert(
        fc.asyncProperty(gaps, size, size, async (gaps, perMinute, perDay) => {
          const { spend } = await begin({ perMinute, perDay });
          const spentIn = new Map<string, number>();
          for (const gap of gaps) {
            now = addMs(now, gap);
            const minute = `minute ${Math.floor(epochMs(now) / MINUTE_MS)}`;
            const day = `day ${Math.floor(epochMs(now) / DAY_MS)}`;
            const spent = { minute: spentIn.get(minute) ?? 0, day: spentIn.get(day) ?? 0 };
            const spending = await spend();
            expect(spending.granted).toBe(spent.minute < perMinute && spent.day < perDay);
            const one = spending.granted ? 1 : 0;
            expect(spending.left).toEqual({ minute: perMinute - spent.minute - one, day: perDay - spent.day - one });
            spentIn.set(minute, spent.minute + one);
            spentIn.set(day, spent.day + one);
          }
        }),
        { numRuns },
      );
    });

    test('waiting as long as Retry-After says is enough, and a second less is not', () =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: DAY_MS - 1 }), fc.boolean(), async (msIntoDay, dayUsedUp) => {
          const allowance = dayUsedUp ? { perMinute: 9, perDay: 1 } : { perMinute: 1, perDay: 9 };
          const { spend } = await begin(allowance, upstreamInstant(Date.UTC(2026, 10, 21) + msIntoDay));
          await spend();
          const refused = await spend();
          if (refused.granted) throw new Error('the second request was granted');
          const refusedAt = now;
          now = addMs(refusedAt, (refused.retryAfterS - 1) * 1000);
          expect((await spend()).granted).toBe(false);
          now = addMs(refusedAt, refused.retryAfterS * 1000);
          expect((await spend()).granted).toBe(true);
        }),
        { numRuns },
      ));

    test('of many simultaneous requests, exactly as many are granted as are left', async () => {
      const { spend } = await begin({ perMinute: 7, perDay: 100 });
      const spendings = await Promise.all(Array.from({ length: 20 }, spend));
      expect(spendings.filter(({ granted }) => granted)).toHaveLength(7);
    });

    test('a lowered allowance counts what was spent, and nothing is left of it', async () => {
      const { quota, account, spend } = await begin({ perMinute: 9, perDay: 9 });
      for (let count = 0; count < 5; count += 1) await spend();
      const lowered = { ...account, allowance: { perMinute: 3, perDay: 4 } };
      expect(await quota.spend(lowered)).toMatchObject({ granted: false, left: { minute: 0, day: 0 } });
    });

    test('a clock that is set back does not reset the minute, and the minute ends with the next', async () => {
      const { spend } = await begin({ perMinute: 1, perDay: 9 });
      expect((await spend()).granted).toBe(true);
      now = addMs(START, -HOUR_MS);
      const refused = await spend();
      expect(refused).toMatchObject({ granted: false, retryAfterS: 60 });
      now = addMs(now, MINUTE_MS);
      expect((await spend()).granted).toBe(true);
    });

    test('a clock that is set back over midnight finds what was spent in the day before', async () => {
      const beforeMidnight = upstreamInstant(Date.UTC(2026, 10, 21, 23, 59, 59));
      const { spend } = await begin({ perMinute: 9, perDay: 3 }, beforeMidnight);
      for (let count = 0; count < 3; count += 1) await spend();
      now = addMs(beforeMidnight, 5000);
      expect(await spend()).toMatchObject({ granted: true, left: { day: 2 } });
      now = beforeMidnight;
      expect(await spend()).toMatchObject({ granted: false, left: { day: 0 } });
      now = addMs(beforeMidnight, 5000);
      expect(await spend()).toMatchObject({ granted: true, left: { day: 1 } });
    });

    test('a clock that was a year ahead does not lock the account for a year', async () => {
      const { spend } = await begin({ perMinute: 1, perDay: 1 }, addMs(START, 365 * DAY_MS));
      await spend();
      now = START;
      expect((await spend()).granted).toBe(false);
      now = addMs(START, MINUTE_MS);
      expect((await spend()).granted).toBe(true);
    });
  });
}

function accountWith(id: string, allowance: Allowance): Account {
  return {
    id,
    grant: { active: true, expiresAt: null },
    scopes: new Set(ALL_SCOPES),
    lookbackDays: 30,
    allowance,
  };
}

import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { LedgerState } from '../../allowance/ledger.ts';
import { firstViewPlan } from './first-view-allowance.ts';
import { NEW_PLACES_PART } from './operator-shares.ts';

const midnight = upstreamInstant(Date.UTC(2026, 10, 21));
const DAY_S = DAY_MS / 1000;

/** An account of that size, of which so much is left. */
function account(
  minute: { size?: number; remaining?: number },
  day: { size?: number; remaining?: number },
): LedgerState {
  const window = ({ size, remaining = size }: typeof minute, lengthMs: number) => ({
    size,
    remaining,
    reserved: 0,
    resetsAt: addMs(midnight, lengthMs),
  });
  return {
    minute: window(minute, MINUTE_MS),
    day: window(day, DAY_MS),
    spentToday: 0,
    spentOnHistoryToday: 0,
    historyUses: new Map(),
    pausedUntil: undefined,
  };
}

/** What one of so many operators has, if all want as much as possible. */
const planOf = (state: LedgerState, operators: number) => {
  const rate = (0.95 * (state.day.size ?? 0)) / DAY_S;
  const whole = rate / operators;
  const share = { whole, newPlaces: NEW_PLACES_PART * whole, refreshes: 0, scheduled: 0 };
  return firstViewPlan(state, share, operators, DAY_S, midnight);
};

describe('firstViewPlan', () => {
  test('grows with the account and falls with the number of operators', () => {
    const sizes = [300, 5000, 20_000, 200_000];
    const atOnce = sizes.map((size) => planOf(account({ size: 600 }, { size }), 5).atOnce);
    expect(atOnce).toEqual(atOnce.toSorted((a, b) => a - b));
    const byOperators = [1, 2, 5, 20].map(
      (operators) => planOf(account({ size: 600 }, { size: 200_000 }), operators).atOnce,
    );
    expect(byOperators).toEqual(byOperators.toSorted((a, b) => b - a));
    expect(new Set(byOperators).size).toBe(4);
  });

  test('of what the minute has left, leaves the refreshes theirs and a further operator as much as each', () => {
    const plan = planOf(account({ size: 120, remaining: 50 }, { size: 20_000 }), 4);
    const refreshes = (0.95 * 20_000 * 60) / DAY_S;
    expect(plan.atOnce).toBeCloseTo((50 - 6 - refreshes) / 5, 6);
    expect(plan.next).toMatchObject({ window: 'minute' });
    expect(plan.next?.atOnce).toBeGreaterThan(plan.atOnce);
    expect(planOf(account({ size: 120, remaining: 7 }, { size: 20_000 }), 4).atOnce).toBe(0);
  });

  test('before the first answer, works off one request in five seconds', () => {
    expect(planOf(account({}, {}), 1)).toEqual({ ratePerS: 0.2, atOnce: 0, next: undefined });
    expect(planOf(account({}, {}), 4).ratePerS).toBe(0.05);
  });

  test('works off nothing on a day that is used up, until the next', () => {
    const plan = planOf(account({ size: 60 }, { size: 300, remaining: 15 }), 3);
    expect(plan).toMatchObject({ ratePerS: 0, atOnce: 0, next: { window: 'day' } });
    expect(plan.next?.ratePerS).toBeCloseTo((NEW_PLACES_PART * 285) / DAY_S / 3, 9);
  });
});

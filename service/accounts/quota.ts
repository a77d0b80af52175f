import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Account } from './account.ts';

/** Requests that the account may still make in the current minute and UTC day. */
export interface AllowanceLeft {
  readonly minute: number;
  readonly day: number;
}

type Spending =
  | { readonly granted: true; readonly left: AllowanceLeft }
  /** `retryAfterS`: whole seconds, at least 1, until the used-up counter resets. */
  | { readonly granted: false; readonly left: AllowanceLeft; readonly retryAfterS: number };

export interface Quota {
  /** Spends one request of the account's allowance. A refused request spends nothing. */
  spend(account: Account): Spending;
}

interface Counters {
  minuteEnds: UpstreamInstant;
  dayEnds: UpstreamInstant;
  minute: number;
  day: number;
}

/**
 * Counters per account, shared by all of its keys. They reset at the start of each minute and at midnight UTC (Quota
 * rules); a clock that is set back does not reset them. They are in memory only, so a restart resets them.
 */
export function makeQuota(now: () => UpstreamInstant): Quota {
  const countersOf = new Map<string, Counters>();

  return {
    spend(account) {
      const at = now();
      const counters = countersOf.get(account.id) ?? {
        minuteEnds: nextMinute(at),
        dayEnds: nextUtcMidnight(at),
        minute: 0,
        day: 0,
      };
      countersOf.set(account.id, counters);
      if (at >= counters.minuteEnds) {
        counters.minuteEnds = nextMinute(at);
        counters.minute = 0;
      }
      if (at >= counters.dayEnds) {
        counters.dayEnds = nextUtcMidnight(at);
        counters.day = 0;
      }
      const { perMinute, perDay } = account.allowance;
      const dayUsedUp = counters.day >= perDay;
      if (dayUsedUp || counters.minute >= perMinute) {
        const resetsAt = dayUsedUp ? counters.dayEnds : counters.minuteEnds;
        return {
          granted: false,
          left: { minute: Math.max(0, perMinute - counters.minute), day: Math.max(0, perDay - counters.day) },
          retryAfterS: Math.max(1, Math.ceil(msBetween(at, resetsAt) / 1000)),
        };
      }
      counters.minute += 1;
      counters.day += 1;
      return { granted: true, left: { minute: perMinute - counters.minute, day: perDay - counters.day } };
    },
  };
}

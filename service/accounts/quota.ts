import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Account } from './account.ts';

/** Requests that the account may still make in the current minute and UTC day. */
export interface AllowanceLeft {
  readonly minute: number;
  readonly day: number;
}

export type SpendResult =
  | { readonly granted: true; readonly left: AllowanceLeft }
  /** `retryAfterS`: whole seconds, at least 1, until the used-up counter resets. */
  | { readonly granted: false; readonly left: AllowanceLeft; readonly retryAfterS: number };

export interface Quota {
  /** Spends one request of the account's allowance. A refused request spends nothing. */
  spend(account: Account): SpendResult | Promise<SpendResult>;
}

/** A quota in memory, which answers synchronously. */
interface LocalQuota extends Quota {
  spend(account: Account): SpendResult;
}

/** An account's requests in one UTC day, and in the minute of the latest one. Days and minutes are numbered since 1970. */
export interface Counters {
  readonly day: number;
  readonly minute: number;
  readonly spentInDay: number;
  readonly spentInMinute: number;
}

/** Where the counters of days before and after a restart are. */
export interface CounterStore {
  load(accountId: string, day: number): Counters | undefined;
  /** Called with every request that was granted; it is answered when the counters are safe. */
  save(accountId: string, counters: Counters, perDay: number): undefined | Promise<void>;
}

/**
 * Counters per account, shared by all of its keys. They reset at the start of each minute and at midnight UTC (Quota
 * rules). Each day has its own counter, which is still there after the clock is set back by a day. A minute's counter
 * resets only when a later minute begins.
 */
export function makeQuota(now: () => UpstreamInstant): LocalQuota;
export function makeQuota(now: () => UpstreamInstant, store: CounterStore): Quota;
export function makeQuota(now: () => UpstreamInstant, store: CounterStore = memoryCounters()): Quota {
  const latest = new Map<string, Counters>();

  return {
    spend(account) {
      const at = now();
      const day = Math.floor(epochMs(at) / DAY_MS);
      let counters = latest.get(account.id);
      if (counters?.day !== day) counters = onDay(store.load(account.id, day), counters, day);
      counters = inMinute(counters, Math.floor(epochMs(at) / MINUTE_MS));

      const { perMinute, perDay } = account.allowance;
      const dayUsedUp = counters.spentInDay >= perDay;
      const granted = !dayUsedUp && counters.spentInMinute < perMinute;
      if (granted) {
        counters = {
          ...counters,
          spentInDay: counters.spentInDay + 1,
          spentInMinute: counters.spentInMinute + 1,
        };
      }
      latest.set(account.id, counters);
      const left = {
        minute: Math.max(0, perMinute - counters.spentInMinute),
        day: Math.max(0, perDay - counters.spentInDay),
      };
      if (granted) {
        const saved = store.save(account.id, counters, perDay);
        return saved === undefined ? { granted, left } : saved.then(() => ({ granted, left }));
      }
      const resetsAt = dayUsedUp ? nextUtcMidnight(at) : nextMinute(upstreamInstant(counters.minute * MINUTE_MS));
      return { granted, left, retryAfterS: Math.max(1, Math.ceil(msBetween(at, resetsAt) / 1000)) };
    },
  };
}

/** The counters of `day`: as they were stored, with the minute that was counted last. */
function onDay(stored: Counters | undefined, known: Counters | undefined, day: number): Counters {
  const minute = known && (stored === undefined || known.minute >= stored.minute) ? known : stored;
  return {
    day,
    spentInDay: stored?.spentInDay ?? 0,
    minute: minute?.minute ?? 0,
    spentInMinute: minute?.spentInMinute ?? 0,
  };
}

/** A clock set back by more than a minute keeps the count, and lets it end with the minute that it shows now. */
function inMinute(counters: Counters, minute: number): Counters {
  if (minute > counters.minute) return { ...counters, minute, spentInMinute: 0 };
  return minute < counters.minute - 1 ? { ...counters, minute } : counters;
}

/** Two days before, for a clock that is set back; nothing outlives the service. */
function memoryCounters(): CounterStore {
  const DAYS_KEPT = 3;
  const kept = new Map<string, Counters[]>();
  return {
    load: (accountId, day) => kept.get(accountId)?.find((counters) => counters.day === day),
    save(accountId, counters) {
      const others = (kept.get(accountId) ?? []).filter(({ day }) => day !== counters.day);
      kept.set(accountId, [counters, ...others.slice(0, DAYS_KEPT - 1)]);
      return undefined;
    },
  };
}

import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Account } from './account.ts';

interface AllowanceLeft {
  readonly minute: number;
  readonly day: number;
}

export type SpendResult =
  | { readonly granted: true; readonly left: AllowanceLeft }
  /** The client may try again after `retryAfterS`: whole seconds, at least 1. */
  | { readonly granted: false; readonly left: AllowanceLeft; readonly retryAfterS: number };

export interface Quota {
  /** A refused request spends nothing. */
  spend(account: Account): SpendResult | Promise<SpendResult>;
}

interface LocalQuota extends Quota {
  spend(account: Account): SpendResult;
}

/** Days and minutes are numbered since 1970; the minute is that of the latest request. */
export interface Counters {
  readonly day: number;
  readonly minute: number;
  readonly spentInDay: number;
  readonly spentInMinute: number;
}

export interface CounterStore {
  load(accountId: string, day: number): Counters | undefined;
  /** It is called for every granted request, which is answered when this resolves. */
  save(accountId: string, counters: Counters, perDay: number): undefined | Promise<void>;
}

/**
 * Counters reset each minute and at midnight UTC (Quota rules), but a minute's only when a later one begins. A clock
 * set back by a day finds that day's counter.
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

function onDay(stored: Counters | undefined, known: Counters | undefined, day: number): Counters {
  const minute = known && (stored === undefined || known.minute >= stored.minute) ? known : stored;
  return {
    day,
    spentInDay: stored?.spentInDay ?? 0,
    minute: minute?.minute ?? 0,
    spentInMinute: minute?.spentInMinute ?? 0,
  };
}

/** A clock set back by more than a minute keeps the count until the end of its present minute. */
function inMinute(counters: Counters, minute: number): Counters {
  if (minute > counters.minute) return { ...counters, minute, spentInMinute: 0 };
  return minute < counters.minute - 1 ? { ...counters, minute } : counters;
}

/** It keeps some earlier days, for a clock that is set back. */
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

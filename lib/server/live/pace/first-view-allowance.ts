import 'server-only';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { allowanceFloor } from '../../allowance/allowance-floors.ts';
import type { LedgerState } from '../../allowance/ledger.ts';
import { NEW_PLACES_PART, type OperatorShare } from './operator-shares.ts';
import { CAUTIOUS_MS } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';

/** First views made at once are at most what the operator's share gives in this time. */
const AT_ONCE_S = 120;
/** Where that is little, two places may be opened one after the other, as far as they are no more than this part of the operator's day. */
const AT_ONCE_REQUESTS = 2 * LAYERS.length;
const AT_ONCE_OF_DAY = 1 / 12;

/** What one operator's first views may use, by which window of the account it changes next. */
export interface FirstViewPlan {
  /** Requests per second. */
  readonly ratePerS: number;
  readonly atOnce: number;
  /** After the end of that window. */
  readonly next: { readonly window: 'minute' | 'day'; readonly ratePerS: number; readonly atOnce: number } | undefined;
}

/**
 * What one operator's first views may use, as far as the account's day and minute allow it now.
 * @param share the operator's; unused where the allowance is unknown or used up
 * @param operators how many there are now, at least 1
 * @param expectedDemandS seconds until midnight UTC in which viewers are expected
 */
export function firstViewPlan(
  state: LedgerState,
  share: OperatorShare,
  operators: number,
  expectedDemandS: number,
  now: UpstreamInstant,
): FirstViewPlan {
  const { minute, day } = state;
  const rate = paceRate(state, expectedDemandS);
  // As slow as everything is until an answer says what the account has.
  if (rate === undefined) return { ratePerS: 1000 / CAUTIOUS_MS / operators, atOnce: 0, next: undefined };
  const { newPlaces: ratePerS, whole } = share;
  // What refreshes take until its end is left, and what a further operator would need.
  const ofMinute = (requests: number | undefined, forMs: number) =>
    requests === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, requests - allowanceFloor('minute', minute.size, 'first-view') - (rate * forMs) / 1000) /
        (operators + 1);
  if (rate === 0) {
    const size = day.size ?? 0;
    const daily = (NEW_PLACES_PART * (size - allowanceFloor('day', size, 'scheduled'))) / operators;
    const nextRatePerS = (daily / DAY_MS) * 1000;
    return { ratePerS: 0, atOnce: 0, next: { window: 'day', ratePerS: nextRatePerS, atOnce: 0 } };
  }
  const ofDay = Math.max(AT_ONCE_S * whole, Math.min(AT_ONCE_REQUESTS, AT_ONCE_OF_DAY * whole * expectedDemandS));
  const left = minute.remaining === undefined ? undefined : minute.remaining - minute.reserved;
  return {
    ratePerS,
    atOnce: Math.min(ofDay, ofMinute(left ?? minute.size, msBetween(now, minute.resetsAt))),
    next: { window: 'minute', ratePerS, atOnce: Math.min(ofDay, ofMinute(minute.size, MINUTE_MS)) },
  };
}

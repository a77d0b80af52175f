import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { LedgerState, PastTerms, PastUse, Spending } from './ledger.ts';

/** The share of the allowance that scheduled refreshes and history leave untouched; first views may use half of it. */
export const RESERVE = { minute: 0.1, day: 0.05 } as const;
/** The share of a day that history may use. */
const HISTORY_SHARE = 0.3;

/** The share of a minute that history may use, however much live refreshes need. */
const HISTORY_OF_MINUTE_MIN = 0.1;
/** An operator who loaded the past may want more for this long. */
const WANTS_FOR_MS = HOUR_MS;
/** The tolerance for sums of fractions. */
const ROUNDING = 1e-6;

/** Requests that stay in reserve. They are rounded down: a small allowance has none to spare. */
export function allowanceFloor(window: keyof typeof RESERVE, size: number | undefined, spending: Spending): number {
  const part = spending === 'first-view' ? RESERVE[window] / 2 : RESERVE[window];
  return Math.floor((size ?? 0) * part);
}

/** Requests of the minute left to live refreshes. */
export function keptForLive(minuteSize: number, livePerS: number, secondsLeft: number): number {
  const maxPerS = (minuteSize * (1 - RESERVE.minute - HISTORY_OF_MINUTE_MIN)) / 60;
  return Math.ceil(Math.min(livePerS, maxPerS) * secondsLeft);
}

export function historyShare(daySize: number | undefined): number {
  return daySize === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(daySize * HISTORY_SHARE));
}

/**
 * How much of history's share is left for an operator, by max–min fairness. A part is kept for one operator who has not loaded yet today; it shrinks towards midnight.
 * @param left of all operators together; may be infinite
 * @param uses of today, by operator
 * @returns a whole number, at most `left`; by rounding, the sum over all operators can exceed `left`
 */
export function leftForOperator(
  left: number,
  operator: string,
  uses: ReadonlyMap<string, PastUse>,
  hasOtherOperators: boolean,
  now: UpstreamInstant,
): number {
  const own = uses.get(operator)?.requests ?? 0;
  const others = [...uses]
    .filter(([name, { askedAt }]) => name !== operator && msBetween(askedAt, now) <= WANTS_FOR_MS)
    .map(([, { requests }]) => requests);
  const latecomerWeight = hasOtherOperators ? msBetween(now, nextUtcMidnight(now)) / DAY_MS : 0;
  const part = Math.max(0, levelAfter(left, [own, ...others], latecomerWeight) - own);
  return Math.max(0, Math.min(left, Math.ceil(part - ROUNDING)));
}

/** @param unused weight of one who used nothing */
function levelAfter(left: number, used: readonly number[], unused: number): number {
  let level = 0;
  let weight = unused;
  let rest = Math.max(0, left);
  for (const next of used.toSorted((a, b) => a - b)) {
    const toNext = (next - level) * weight;
    if (weight > 0 && toNext >= rest) break;
    rest -= toNext;
    level = next;
    weight++;
  }
  return level + rest / weight;
}

/** Requests that an operator may use for history now; `undefined` while the size of minute or day is unknown. */
export function historyLeft(
  state: LedgerState,
  { operator, hasOtherOperators, livePerS }: PastTerms,
  now: UpstreamInstant,
): number | undefined {
  if (state.pausedUntil !== undefined) return 0;
  const { minute, day } = state;
  if (minute.size === undefined || day.size === undefined) return undefined;
  const spare = (['minute', 'day'] as const).map((window) => {
    const { remaining, reserved, size } = state[window];
    // A window without a report has as much as the ones before it.
    const kept =
      window === 'minute' ? keptForLive(size ?? 0, livePerS, msBetween(now, minute.resetsAt) / SECOND_MS) : 0;
    return (remaining ?? size ?? 0) - reserved - allowanceFloor(window, size, 'history') - kept;
  });
  const share = historyShare(day.size) - state.spentOnHistoryToday;
  return Math.max(0, Math.min(...spare, leftForOperator(share, operator, state.historyUses, hasOtherOperators, now)));
}

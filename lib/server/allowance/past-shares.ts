import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { PastUse } from './ledger.ts';

/** Time in which an operator may want more. */
const WANTS_FOR_MS = HOUR_MS;
/** Tolerance for sums of fractions. */
const ROUNDING = 1e-6;

/**
 * Max–min fairness. A part is kept for one operator who has not loaded yet today; it shrinks towards midnight.
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

import 'server-only';
import { fairShares, sharesIfUnlimited } from './fair-shares.ts';

/** Part of an operator's share with which new places are worked off. */
export const NEW_PLACES_PART = 0.6;
/**
 * Part of it that goes back to the others while as many new places as possible are opened: they had less while these were opened at once.
 */
const GIVEN_BACK_PART = 0.2;

/** What one operator may use of the rate, in requests per second. */
export interface OperatorShare {
  /** The share of which the others are parts. */
  readonly whole: number;
  /** With which new places are worked off, while there are any. */
  readonly newPlaces: number;
  /** Of scheduled refreshes that the operator is entitled to: what new places leave. */
  readonly refreshes: number;
  /** By which refreshes are scheduled: a single new place does not delay them at once. */
  readonly scheduled: number;
}

/**
 * Divides the rate among operators. All have the same share, except that what somebody does not need goes to the others. New places
 * are paid from the share of the operator who opens them.
 * @param ratePerS requests per second that the account allows, at least 0
 * @param wants requests per second with which each operator's areas would be refreshed as often as is useful
 * @param owing how much of what new places may use at once is not worked off yet, 0 to 1, for operators who opened some; each is in
 *   `wants`
 */
export function operatorShares(
  ratePerS: number,
  wants: ReadonlyMap<string, number>,
  owing: ReadonlyMap<string, number>,
): ReadonlyMap<string, OperatorShare> {
  const names = [...wants.keys()];
  const want = (name: string) => wants.get(name) ?? 0;
  // Who opens new places could use any share.
  const full = names.map((name) => (owing.has(name) ? Number.POSITIVE_INFINITY : want(name)));
  const wholes = new Map(sharesIfUnlimited(full, ratePerS).map((whole, index) => [names[index], whole]));

  const shares = new Map<string, OperatorShare>();
  let left = ratePerS;
  for (const name of names) {
    const owed = owing.get(name);
    if (owed === undefined) continue;
    const whole = wholes.get(name) ?? 0;
    const newPlaces = NEW_PLACES_PART * whole;
    const entitled = (1 - NEW_PLACES_PART - owed * GIVEN_BACK_PART) * whole;
    const scheduled = Math.min(want(name), (1 - owed * (NEW_PLACES_PART + GIVEN_BACK_PART)) * whole);
    shares.set(name, { whole, newPlaces, scheduled, refreshes: Math.min(want(name), entitled) });
    left -= (1 - owed * GIVEN_BACK_PART) * whole;
  }
  const others = names.filter((name) => !owing.has(name));
  const refreshes = fairShares(others.map(want), Math.max(0, left));
  for (const [index, name] of others.entries()) {
    const whole = wholes.get(name) ?? 0;
    const own = refreshes[index] ?? 0;
    shares.set(name, { whole, newPlaces: NEW_PLACES_PART * whole, refreshes: own, scheduled: own });
  }
  return shares;
}

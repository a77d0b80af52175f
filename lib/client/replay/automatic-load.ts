import { isOnlyLoaded, ROLE_SPENDS_NOTHING } from './price-text.ts';
import type { AskReason, ReplayPrice } from './replay-summary.ts';

/** A replay loads by itself up to so many requests, until the operator chooses otherwise. */
export const AUTO_LOAD_DEFAULT = 25;
/** The other choices; 0: a replay always asks. */
export const AUTO_LOAD_CHOICES = [0, 10, AUTO_LOAD_DEFAULT, 100] as const;
/** No load takes more of what is left for its operator without asking. */
export const AUTO_LOAD_SHARE = 1 / 2;

export type AutomaticLoad = { readonly maxRequests: number; readonly asks?: undefined } | { readonly asks: AskReason };

/**
 * Whether a load at this price begins without asking, and how many requests it then may make.
 * @param upTo the operator's limit
 * @param left requests that the allowance leaves to the operator for the past now; `undefined` if unknown, infinite without an
 * allowance: a load then costs nothing, and is never cut
 */
export function automaticLoad(price: ReplayPrice, upTo: number, left: number | undefined): AutomaticLoad {
  if (price.expected === 0 || isOnlyLoaded(price)) return { maxRequests: price.maxRequests };
  if (upTo === 0) return { asks: 'always' };
  if (left === Number.POSITIVE_INFINITY) return { maxRequests: price.maxRequests };
  if (price.expected > upTo) return { asks: 'price' };
  if (left === undefined) return { asks: 'allowance-unknown' };
  const max = Math.floor(left * AUTO_LOAD_SHARE);
  if (price.expected > max) return { asks: 'allowance' };
  return { maxRequests: Math.min(price.maxRequests, upTo, max) };
}

/** @param maySpend whether the operator's role may spend requests on the past at all */
export function autoLoadText(upTo: number, maySpend: boolean): string {
  if (!maySpend) return `Shows what is loaded already: ${ROLE_SPENDS_NOTHING}.`;
  return upTo === 0
    ? 'Shows the cost before anything is loaded.'
    : `Loads automatically if it needs at most ${upTo} requests and half of your remaining allowance; otherwise shows the cost first.`;
}

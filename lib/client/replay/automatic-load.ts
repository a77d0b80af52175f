import { isOnlyLoaded, ROLE_SPENDS_NOTHING } from './price-text.ts';
import type { AskReason, ReplayPrice } from './replay-summary.ts';

export const AUTO_LOAD_DEFAULT = 25;
export const AUTO_LOAD_CHOICES = [0, 10, AUTO_LOAD_DEFAULT, 100] as const;
/** Larger shares of the operator's rest need consent. */
export const AUTO_LOAD_SHARE = 1 / 2;

export type AutomaticLoad = { readonly maxRequests: number; readonly asks?: undefined } | { readonly asks: AskReason };

/**
 * @param left requests left for the past; `undefined` if unknown, infinite without an allowance: a load then costs
 * nothing and is never cut
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

import type { ReplayPrice } from './replay-summary.ts';

export const ROLE_SPENDS_NOTHING = 'your role spends nothing on the past';

/** A quote for a role that spends nothing: only loaded parts are shown. */
export function isOnlyLoaded({ expected, maxRequests }: ReplayPrice): boolean {
  return expected > 0 && maxRequests === 0;
}

export function priceText(price: ReplayPrice): string {
  const { expected, known, maxRequests } = price;
  if (isOnlyLoaded(price)) return `only what is loaded already, since ${ROLE_SPENDS_NOTHING}`;
  if (expected === 0) return 'no requests';
  return `${known ? '≈' : 'at least'} ${requestsText(expected)}, max. ${maxRequests}`;
}

export function requestsText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

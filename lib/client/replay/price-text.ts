import type { ReplayPrice } from './replay-summary.ts';

/** What loading costs: `about 39 requests, at most 78`. */
export function priceText({ expected, known, maxRequests }: ReplayPrice): string {
  // The server quotes so for a role that spends nothing on the past.
  if (expected > 0 && maxRequests === 0)
    return 'only what is loaded already, since your role spends nothing on the past';
  if (expected === 0) return 'no requests';
  return `${known ? 'about' : 'at least'} ${requestsText(expected)}, at most ${maxRequests}`;
}

export function requestsText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

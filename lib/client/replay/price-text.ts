import type { ReplayPrice } from './replay-summary.ts';

/** What loading costs: `about 39 requests, at most 78`. */
export function priceText({ expected, known, maxRequests }: ReplayPrice): string {
  if (expected === 0) return 'no requests';
  return `${known ? 'about' : 'at least'} ${requestsText(expected)}, at most ${maxRequests}`;
}

export function requestsText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

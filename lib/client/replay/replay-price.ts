import { queryOptions } from '@tanstack/react-query';
import { type HistoryCost, historyCostSchema } from '#lib/api/history-cost.ts';
import { joinAtAntimeridian } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { requestJson } from '../request/request-json.ts';
import type { AskReason, LoadTerms, ReplayPrice, ReplayQuote, WideChoice } from './replay-summary.ts';

/** A price stays on screen this long before it is requested again. */
const FRESH_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * The price of a replay: requests it, words it, and decides whether the replay loads without asking the operator.
 * @throws LookoutRequestError
 */
export function requestHistoryCost(query: string, signal: AbortSignal): Promise<HistoryCost> {
  return requestJson('GET', `/api/history/cost?${query}`, historyCostSchema, { signal, timeoutMs: ANSWER_TIMEOUT_MS });
}

export function historyCostQuery(query: string) {
  return queryOptions<HistoryCost>({
    queryKey: ['history-cost', query],
    queryFn: ({ signal }) => requestHistoryCost(query, signal),
    enabled: query !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
}

export function replayPriceOf({ expected, known, max_requests }: HistoryCost['middle']): ReplayPrice {
  return { expected, known, maxRequests: max_requests };
}

export function quoteOf({ middle, tiles, wide }: HistoryCost): ReplayQuote {
  const area = joinAtAntimeridian(middle.boxes.map(boxFromCorners));
  if (!wide) return { ...replayPriceOf(middle), area, wide: undefined };
  return {
    ...replayPriceOf(tiles ?? middle),
    area,
    wide: { middle: replayPriceOf(middle), tiles: tiles?.boxes.length ?? 0 },
  };
}

export function termsOfQuote(quote: ReplayQuote, choice: WideChoice): LoadTerms {
  const { maxRequests } = choice === 'middle' && quote.wide ? quote.wide.middle : quote;
  // Tiles cover the requested area; otherwise a larger one or only the middle is loaded.
  return { choice, maxRequests, area: choice === 'tiles' ? undefined : quote.area };
}

/** Whether the quote is for a role that spends nothing: only loaded parts are shown. */
export function isOnlyLoaded({ expected, maxRequests }: ReplayPrice): boolean {
  return expected > 0 && maxRequests === 0;
}

/** A load needs consent if it takes more than this share of the operator's remaining requests. */
export const AUTO_LOAD_SHARE = 1 / 2;

/** Whether a replay loads by itself, or asks the operator first. */
export type AutomaticLoad =
  | { readonly kind: 'load'; readonly maxRequests: number }
  | { readonly kind: 'ask'; readonly reason: AskReason };

/**
 * @param left requests left for the past; `undefined` if unknown, infinite without an allowance: a load then costs
 * nothing and is never cut
 */
export function automaticLoad(price: ReplayPrice, upTo: number, left: number | undefined): AutomaticLoad {
  if (price.expected === 0 || isOnlyLoaded(price)) return { kind: 'load', maxRequests: price.maxRequests };
  if (upTo === 0) return { kind: 'ask', reason: 'always' };
  if (left === Number.POSITIVE_INFINITY) return { kind: 'load', maxRequests: price.maxRequests };
  if (price.expected > upTo) return { kind: 'ask', reason: 'price' };
  if (left === undefined) return { kind: 'ask', reason: 'allowance-unknown' };
  const max = Math.floor(left * AUTO_LOAD_SHARE);
  if (price.expected > max) return { kind: 'ask', reason: 'allowance' };
  return { kind: 'load', maxRequests: Math.min(price.maxRequests, upTo, max) };
}

interface PriceParts {
  readonly about: string;
  /** Not shown where there is no room. */
  readonly limit: string;
}

export function priceParts(price: ReplayPrice): PriceParts {
  const { expected, known, maxRequests } = price;
  if (isOnlyLoaded(price)) return { about: 'only what others have loaded', limit: '' };
  if (expected === 0) return { about: 'no requests', limit: '' };
  return { about: `${known ? '≈' : 'at least'} ${requestsText(expected)}`, limit: `, max. ${maxRequests}` };
}

export function replayPriceText(price: ReplayPrice): string {
  const { about, limit } = priceParts(price);
  return `${about}${limit}`;
}

export function requestsText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

/** @param mayLoad whether the operator's role may load the past at all */
export function autoLoadText(upTo: number, mayLoad: boolean, hasAllowance: boolean): string {
  if (!mayLoad) return 'Shows what others have loaded. Ask an operator to load the rest.';
  if (!hasAllowance) return upTo === 0 ? 'Asks before it loads.' : 'Loads at once.';
  return upTo === 0
    ? 'Shows the cost before anything is loaded.'
    : `Loads automatically if it needs at most ${upTo} requests and half of your remaining allowance; otherwise shows the cost first.`;
}

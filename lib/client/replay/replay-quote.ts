import type { HistoryCost } from '#lib/api/history-cost.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';
import type { LoadTerms, ReplayPrice, ReplayQuote, WideChoice } from './replay-summary.ts';

export function quoteOf({ middle, tiles, wide }: HistoryCost): ReplayQuote {
  const area = joinAtAntimeridian(middle.boxes.map(boxFromCorners));
  if (!wide) return { ...priceOf(middle), area, wide: undefined };
  return { ...priceOf(tiles ?? middle), area, wide: { middle: priceOf(middle), tiles: tiles?.boxes.length ?? 0 } };
}

export function priceOf({ expected, known, max_requests }: HistoryCost['middle']): ReplayPrice {
  return { expected, known, maxRequests: max_requests };
}

export function termsOf(quote: ReplayQuote, choice: WideChoice): LoadTerms {
  const { maxRequests } = choice === 'middle' && quote.wide ? quote.wide.middle : quote;
  // Tiles cover the requested area; otherwise a larger one or only the middle is loaded.
  return { choice, maxRequests, area: choice === 'tiles' ? undefined : quote.area };
}

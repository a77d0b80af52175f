import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { ReplayCost } from './replay-summary.ts';

/** What an operator is told of a cost: that of all, and that of the middle where all is too wide for one request. */
export function toldCost({ middle, tiles, wide }: HistoryCost): ReplayCost {
  const priceOf = ({ expected, known, most }: HistoryCost['middle']) => ({ expected, known, most });
  if (!wide) return { ...priceOf(middle), wide: undefined };
  return { ...priceOf(tiles ?? middle), wide: { middle: priceOf(middle), tiles: tiles?.boxes.length ?? 0 } };
}

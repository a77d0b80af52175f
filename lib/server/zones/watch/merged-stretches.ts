import 'server-only';
import type { WatchedStretch } from '#lib/zones/alarm.ts';

/** Milliseconds of upstream time. */
export interface LayerStretch extends Pick<WatchedStretch, 'state' | 'reason'> {
  readonly layer: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export type MergedStretch = Omit<LayerStretch, 'layer'>;

/**
 * Partly watched unless all layers are watched, or none is even partly. Layers without a stretch don't count. The
 * reason is that of the layer watched least.
 */
export function mergedStretches(stretches: readonly LayerStretch[]): readonly MergedStretch[] {
  const edges = [...new Set(stretches.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b);
  const merged: MergedStretch[] = [];
  edges.slice(1).forEach((toMs, index) => {
    const fromMs = edges[index] as number;
    const over = stretches.filter((each) => each.fromMs <= fromMs && each.toMs >= toMs);
    if (over.length === 0) return;
    const next = { fromMs, toMs, ...stateOf(over) };
    const last = merged.at(-1);
    if (last?.toMs === fromMs && last.state === next.state && last.reason === next.reason)
      merged[merged.length - 1] = { ...last, toMs };
    else merged.push(next);
  });
  return merged;
}

const RANK = { not_watched: 0, partly: 1, watched: 2 } as const;

function stateOf(over: readonly LayerStretch[]): Pick<WatchedStretch, 'state' | 'reason'> {
  const [worst] = over.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  if (!worst) throw new RangeError('no stretch');
  const isMixed = over.some(({ state }) => state !== worst.state);
  return { state: isMixed ? 'partly' : worst.state, reason: worst.reason };
}

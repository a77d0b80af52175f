import type { LayerStretch, WatchedStretch } from '../alarm.ts';

/** The ranks of watched states, of which the worst is lowest. */
export const WATCHED_RANK = { not_watched: 0, partly: 1, watched: 2 } as const satisfies Record<
  WatchedStretch['state'],
  number
>;

/** A stretch in milliseconds of upstream time. */
export interface MergedStretch extends Pick<WatchedStretch, 'state' | 'reason'> {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Stretches of one layer do not overlap. */
export interface StretchOfLayer extends MergedStretch {
  readonly layer: LayerStretch['layer'];
}

/**
 * Partly watched unless all layers are watched, or none is even partly. Layers without a stretch don't count. The
 * reason is that of the layer watched least; a layer that never had a receiver gives its own only where none else has.
 */
export function mergedStretches(
  stretches: readonly (MergedStretch & { readonly layer: unknown })[],
): readonly MergedStretch[] {
  const edges = [...new Set(stretches.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b);
  const layers = [...new Set(stretches.map(({ layer }) => layer))].map((layer) => ({
    ordered: stretches.filter((its) => its.layer === layer).sort((a, b) => a.fromMs - b.fromMs),
    at: 0,
  }));
  const merged: MergedStretch[] = [];
  edges.slice(1).forEach((toMs, index) => {
    const fromMs = edges[index] as number;
    const over = layers.flatMap((layer) => {
      while ((layer.ordered[layer.at]?.toMs ?? toMs) <= fromMs) layer.at++;
      const stretch = layer.ordered[layer.at];
      return stretch && stretch.fromMs <= fromMs ? [stretch] : [];
    });
    if (over.length === 0) return;
    const next = { fromMs, toMs, ...stateOf(over) };
    const last = merged.at(-1);
    if (last?.toMs === fromMs && last.state === next.state && last.reason === next.reason)
      merged[merged.length - 1] = { ...last, toMs };
    else merged.push(next);
  });
  return merged;
}

function stateOf(over: readonly MergedStretch[]): Pick<WatchedStretch, 'state' | 'reason'> {
  const worstFirst = over.toSorted((a, b) => WATCHED_RANK[a.state] - WATCHED_RANK[b.state]);
  const [worst] = worstFirst;
  if (!worst) throw new RangeError('no stretch');
  const isMixed = over.some(({ state }) => state !== worst.state);
  const news = worstFirst.find(({ reason }) => reason !== null && reason !== 'not_equipped') ?? worst;
  return { state: isMixed ? 'partly' : worst.state, reason: news.reason };
}

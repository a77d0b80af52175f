import { FALLBACK_LIFETIMES_MS } from '#lib/client/replay/replay-cursor.ts';
import type { ReplayGap, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';

export interface LayerGap {
  readonly layer: Layer;
  readonly gap: ReplayGap;
}

/**
 * What makes the picture at a moment (milliseconds of the epoch) incomplete: gaps of the layers that are on, from their start
 * until what would have been received at their very end had expired.
 */
export function gapsAt(summary: Pick<ReplaySummary, 'layers'>, cursorMs: number): readonly LayerGap[] {
  return LAYERS.filter((layer) => summary.layers[layer].on).flatMap((layer) =>
    summary.layers[layer].gaps
      .filter(({ start, end }) => start <= cursorMs && cursorMs < end + FALLBACK_LIFETIMES_MS[KIND_OF_LAYER[layer]])
      .map((gap) => ({ layer, gap })),
  );
}

import type { ReplayGap, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';

export interface LayerGap {
  readonly layer: Layer;
  readonly gap: ReplayGap;
}

/** Counts until positions received at a gap's end would have expired. */
export function gapsAt(summary: Pick<ReplaySummary, 'layers'>, cursor: UpstreamInstant): readonly LayerGap[] {
  return LAYERS.flatMap((layer) => {
    const { on, gaps, shownForMs } = summary.layers[layer];
    const matters = ({ start, end }: ReplayGap) => on && start <= cursor && cursor < addMs(end, shownForMs);
    return gaps.filter(matters).map((gap) => ({ layer, gap }));
  });
}

import { AGEING } from '#lib/model/ageing.ts';
import type { Layer } from '#lib/model/position.ts';
import { KIND_OF_LAYER } from '#lib/model/position.ts';
import type { ReplayLayer } from './replay-summary.ts';

export function replayLayer(layer: Layer, change: Partial<ReplayLayer> = {}): ReplayLayer {
  const { fallbackTtlMs, expiredMs } = AGEING[KIND_OF_LAYER[layer]];
  return {
    layer,
    on: true,
    shownForMs: fallbackTtlMs + expiredMs,
    minutes: [],
    leadIn: [],
    histogram: new Uint32Array(0),
    observations: 0,
    unreadable: 0,
    partsDone: 0,
    partsKnown: 0,
    requestsMade: 0,
    requestsExpected: 0,
    gaps: [],
    reception: [],
    ...change,
  };
}

import type { Layer } from '#lib/model/position.ts';
import type { ReplayLayer } from './replay-summary.ts';

/** A layer that is on and of which nothing is known, but for the change. */
export function replayLayer(layer: Layer, change: Partial<ReplayLayer> = {}): ReplayLayer {
  return {
    layer,
    on: true,
    minutes: [],
    histogram: new Uint32Array(0),
    observations: 0,
    unreadable: 0,
    partsDone: 0,
    partsKnown: 0,
    requestsMade: 0,
    requestsExpected: 0,
    gaps: [],
    ...change,
  };
}

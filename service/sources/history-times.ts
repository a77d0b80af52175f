import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Source } from './observation.ts';

/** The times of what `source.history` gives for the same question. */
export function historyTimes(
  source: Source,
  layer: Layer,
  bbox: Bbox,
  window: Window,
  atMost: number,
): UpstreamInstant[] {
  if (source.historyTimes) return source.historyTimes(layer, bbox, window, atMost);
  return source.history(layer, bbox, window, atMost).observations.map(({ observedAt }) => observedAt);
}

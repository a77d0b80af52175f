import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Source } from './observation.ts';

export async function historyTimes(
  source: Source,
  layer: Layer,
  bbox: Bbox,
  window: Window,
  maxCount: number,
): Promise<UpstreamInstant[]> {
  if (source.historyTimes) return source.historyTimes(layer, bbox, window, maxCount);
  const { observations } = await source.history(layer, bbox, window, maxCount);
  return observations.map(({ observedAt }) => observedAt);
}

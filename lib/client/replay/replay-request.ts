import type { Speed } from '#lib/api/address-state.ts';
import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { TimeToLive } from './store/replay-cursor.ts';

export interface ReplayRequest {
  readonly area: Bbox;
  /** A point inside the area; of a wide area, the middle is loaded around it. Default: the middle in degrees. */
  readonly centre?: LonLat | undefined;
  readonly layers: ReadonlySet<Layer>;
  readonly window: Window;
  readonly cursor?: UpstreamInstant | undefined;
  readonly speed?: Speed | undefined;
  readonly ttlMs: TimeToLive;
  /** Of what is loaded before the window, in whole minutes; 0 if no history reaches back that far. Default: 0. */
  readonly leadInMs?: number | undefined;
  /** Loaded without asking up to so many requests. Default: 0, which asks. */
  readonly autoLoadMax?: number | undefined;
  /** The operator accepted this price before the replay was opened. */
  readonly acceptedMax?: number | undefined;
}

/** The query of `/api/history` and `/api/history/cost`. */
export function historyQuery({
  area,
  centre,
  window,
  layers,
}: Pick<ReplayRequest, 'area' | 'centre' | 'window' | 'layers'>): URLSearchParams {
  return new URLSearchParams({
    bbox: formatBbox(area),
    ...(centre && { centre: formatLonLat(centre) }),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
    layers: LAYERS.filter((layer) => layers.has(layer)).join(','),
  });
}

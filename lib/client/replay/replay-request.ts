import type { Speed } from '#lib/api/address-state.ts';
import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { TimeToLive } from './time-to-live.ts';

export interface ReplayRequest {
  readonly area: Bbox;
  /** Inside the area; a wide area's middle is loaded around it. Default: the middle in degrees. */
  readonly centre?: LonLat | undefined;
  readonly layers: ReadonlySet<Layer>;
  readonly window: Window;
  readonly cursor?: UpstreamInstant | undefined;
  readonly speed?: Speed | undefined;
  readonly ttlMs: TimeToLive;
  /** Whole minutes before the window; 0, the default, if no history reaches back that far. */
  readonly leadInMs?: number | undefined;
  /** Requests that are made without asking. Default: 0. */
  readonly autoLoadMax?: number | undefined;
  readonly acceptedMax?: number | undefined;
}

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

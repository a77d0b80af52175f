import type { Speed } from '#lib/api/address-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { leadInLengthMs } from '../replay/lead-in-length.ts';
import type { ReplayRequest } from '../replay/replay-request.ts';
import { readTtl } from '../replay/saved-ttl.ts';
import { ttlFromLive } from '../replay/ttl-from-live.ts';
import type { Lookout } from './lookout-context.tsx';

export interface Entering {
  readonly window: Window;
  /** Default: what the map shows. */
  readonly area?: Bbox | undefined;
  readonly cursor?: UpstreamInstant | undefined;
  readonly speed?: Speed | undefined;
  /** The requests that the operator accepted already. Default: none. */
  readonly acceptedMax?: number | undefined;
}

export type Entered = Pick<Lookout, 'feed' | 'replay' | 'mapView' | 'layersOn' | 'preferences'>;

/** Opens a replay of what the map shows, keeping view, layers and selection. Does nothing before the map has drawn. */
export function enterReplay(lookout: Entered, entering: Entering): void {
  const request = replayRequest(lookout, entering);
  if (request) void lookout.replay.open(request);
}

/** `undefined` before the map has drawn. */
export function replayRequest(
  { feed, mapView, layersOn, preferences }: Entered,
  { window: past, cursor, speed, area: named, acceptedMax }: Entering,
): ReplayRequest | undefined {
  const { visible, lon, lat } = mapView.get();
  const shown = named ? { area: named } : visible && { area: visible, centre: { lon: wrapLongitude(lon), lat } };
  if (!shown) return undefined;
  const ttlMs = ttlFromLive(feed.store.columns, readTtl(window.localStorage));
  return {
    ...shown,
    layers: layersOn.get(),
    window: past,
    cursor,
    speed,
    ttlMs,
    leadInMs: leadInLengthMs(past.start, ttlMs, feed.presumedNow()),
    unaskedUpTo: preferences.get().replayUnaskedUpTo,
    acceptedMax,
  };
}

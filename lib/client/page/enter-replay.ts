import type { Speed } from '#lib/api/address-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { readTtl } from '../replay/saved-ttl.ts';
import { ttlFromLive } from '../replay/ttl-from-live.ts';
import type { Lookout } from './lookout-context.tsx';

export interface Entering {
  readonly window: Window;
  /** Default: what the map shows. */
  readonly area?: Bbox | undefined;
  readonly cursor?: UpstreamInstant | undefined;
  readonly speed?: Speed | undefined;
}

/** Opens a replay of what the map shows, keeping view, layers and selection. Does nothing before the map has drawn. */
export function enterReplay(
  { feed, replay, mapView, layersOn }: Pick<Lookout, 'feed' | 'replay' | 'mapView' | 'layersOn'>,
  { window: past, cursor, speed, area: named }: Entering,
): void {
  const { visible, lon, lat } = mapView.get();
  const shown = named ? { area: named } : visible && { area: visible, centre: { lon: wrapLongitude(lon), lat } };
  if (!shown) return;
  const ttlMs = ttlFromLive(feed.store.columns, readTtl(window.localStorage));
  void replay.open({ ...shown, layers: layersOn.get(), window: past, cursor, speed, ttlMs });
}

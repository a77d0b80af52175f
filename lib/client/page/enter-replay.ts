import type { Speed } from '#lib/api/address-state.ts';
import { LEAD_IN_MAX_MS } from '#lib/api/replay-window.ts';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { localStore } from '../browser/storage.ts';
import type { ReplayRequest } from '../replay/replay-request.ts';
import { readTtl, type TimeToLive, ttlFromLive } from '../replay/time-to-live.ts';
import { lastMinutes } from '../replay/window-form.ts';
import type { Lookout } from './lookout.ts';

/** How the page opens a replay: of a window, of the last minutes, or of an area. It keeps view, layers and selection. */
interface Entering {
  readonly window: Window;
  /** Default: what the map shows. */
  readonly area?: Bbox | undefined;
  readonly cursor?: UpstreamInstant | undefined;
  readonly speed?: Speed | undefined;
  /** Requests already accepted by the operator. Default: none. */
  readonly acceptedMax?: number | undefined;
}

export type Entered = Pick<Lookout, 'feed' | 'replay' | 'mapView' | 'layersOn' | 'preferences'>;

/** Opens a replay. It does nothing before the map has drawn. */
export function enterReplay(lookout: Entered, entering: Entering): void {
  const request = replayRequest(lookout, entering);
  // A replay that cannot be opened says so in its summary.
  if (request) void lookout.replay.open(request);
}

/** A replay begins this long before the end of its window: operators ask what just happened. */
const JUST_HAPPENED_MS = 5 * MINUTE_MS;

export function toggleReplay(lookout: Entered): void {
  if (lookout.replay.session || lookout.replay.opening.get()) lookout.replay.leave();
  else replayLastMinutes(lookout, lookout.preferences.get().replayMinutes);
}

export function replayLastMinutes(lookout: Entered, minutes: number, acceptedMax?: number): void {
  const window = lastMinutes(minutes, lookout.feed.presumedNow());
  enterReplay(lookout, { window, cursor: addMs(window.end, -JUST_HAPPENED_MS), acceptedMax });
}

/** @returns `undefined` before the map has drawn */
export function replayRequest(
  { feed, replay, mapView, layersOn, preferences }: Entered,
  { window: past, cursor, speed, area: named, acceptedMax }: Entering,
): ReplayRequest | undefined {
  const { visible, lon, lat } = mapView.get();
  const shown = named ? { area: named } : visible && { area: visible, centre: { lon: wrapLongitude(lon), lat } };
  if (!shown) return undefined;
  const ttlMs = ttlFromLive(feed.store.columns, readTtl(localStore));
  return {
    ...shown,
    layers: layersOn.get(),
    window: past,
    cursor,
    // Another window keeps the speed of the replay that it replaces.
    speed: speed ?? (replay.session ? undefined : preferences.get().replaySpeed),
    ttlMs,
    leadInMs: leadInLengthMs(past.start, ttlMs, feed.presumedNow()),
    autoLoadMax: preferences.get().replayAutoLoadMax,
    acceptedMax,
  };
}

/**
 * The longest time to live in whole minutes, since completeness is per minute; 0 if no history reaches back that far.
 */
function leadInLengthMs(start: UpstreamInstant, ttlMs: TimeToLive, now: UpstreamInstant): number {
  const shownForMs = (['aircraft', 'drone'] as const).map((kind) => ttlMs[kind] + AGEING[kind].expiredMs);
  const lengthMs = Math.min(LEAD_IN_MAX_MS, Math.ceil(Math.max(...shownForMs) / MINUTE_MS) * MINUTE_MS);
  return addMs(start, -lengthMs) < addMs(now, MINUTE_MS - HISTORY_MAX_AGE_MS) ? 0 : lengthMs;
}

import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Observation, ttlMs } from '../sources/observation.ts';
import { liveObservation } from './fusion/live-observation.ts';

/** How far the clocks of two machines that share a past may differ. */
const CLOCKS_DIFFER_MS = 2 * SECOND_MS;
const FORGET_EVERY_MS = 5 * SECOND_MS;

/** The latest observation of each track, of those that another process has fused: what it has live, without its receivers. */
export class LatestObservations {
  readonly #tracks: Readonly<Record<Layer, Map<string, Observation>>> = { adsb: new Map(), rid: new Map() };
  #forgottenMs = Number.NEGATIVE_INFINITY;

  /** The order does not matter: of a track the latest counts, unless it is of a time that the clock was set back from. */
  add(observations: readonly Observation[], now: UpstreamInstant): void {
    const soon = addMs(now, CLOCKS_DIFFER_MS);
    for (const observation of observations) {
      const tracks = this.#tracks[observation.layer];
      const known = tracks.get(observation.sourceId);
      if (known && known.observedAt > observation.observedAt && known.observedAt <= soon) continue;
      tracks.set(observation.sourceId, observation);
    }
    this.#forget(epochMs(now));
  }

  /** As `Source.live`. What was observed by a clock that is a little ahead is as new as can be. */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[] {
    const found: Observation[] = [];
    for (const observation of this.#tracks[layer].values()) {
      const isAhead = observation.observedAt > now && observation.observedAt <= addMs(now, CLOCKS_DIFFER_MS);
      const live = liveObservation(observation, bbox, epochMs(isAhead ? observation.observedAt : now));
      if (live) found.push(live);
    }
    return found;
  }

  #forget(nowMs: number): void {
    if (Math.abs(nowMs - this.#forgottenMs) < FORGET_EVERY_MS) return;
    this.#forgottenMs = nowMs;
    for (const tracks of Object.values(this.#tracks)) {
      for (const { layer, sourceId, observedAt } of tracks.values()) {
        if (nowMs - epochMs(observedAt) >= ttlMs(layer)) tracks.delete(sourceId);
      }
    }
  }
}

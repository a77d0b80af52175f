import { AGEING } from '#lib/model/ageing.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer } from '#lib/model/position.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/**
 * Longest straight segment between positions. Receivers record a track every 1 to 10 s, and pages poll every 15 s at
 * least. A standard turn at 250 m/s strays 400 m from it.
 */
export const SEGMENT_MAX_MS = 15 * SECOND_MS;

/** Longest gap between positions that a hold or an entry spans; an aircraft's mark expires after it. */
export const FAR_APART_MS = MINUTE_MS;

/** An open alarm is unknown after this silence in a zone not fully watched; one failed read is shorter. */
export const UNKNOWN_AFTER_MS = 30 * SECOND_MS;

/** Watched silence until a track is lost: when its mark leaves the map. */
export function lostAfterMs(layer: Layer): number {
  const { fallbackTtlMs, expiredMs } = AGEING[KIND_OF_LAYER[layer]];
  return fallbackTtlMs + expiredMs;
}

/** A silent reference is gone, watched or not: references rotate. */
export const REFERENCE_GONE_MS = DAY_MS;

/** A return within this time reopens the alarm, however short the hold: it limits storms of alarms. */
export const BACK_WITHIN_MS = 30 * SECOND_MS;
/** The same after `lost`. */
export const FOUND_WITHIN_MS = 10 * MINUTE_MS;

/** On the upstream's clock, so that sweeps don't depend on when areas are read. */
export const SWEEP_MS = 10 * SECOND_MS;

/** After a longer silence a track begins anew. */
export const TRACK_KEPT_MS = 10 * MINUTE_MS;
/** Rows that decide nothing are kept this long for late positions. */
export const LATE_MS = 10 * MINUTE_MS;

/**
 * Last positions this near a zone are stored, so that restarts miss no crossing. An aircraft reaches the zone within
 * SEGMENT_MAX_MS at 330 m/s, a drone within FAR_APART_MS at 80 m/s.
 */
export const NEAR_M = 5000;

import { AGEING } from '#lib/model/ageing.ts';
import type { Layer } from '#lib/model/position.ts';
import { KIND_OF_LAYER } from '#lib/model/position.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/**
 * Longest segment between positions: receivers record a track every 1 to 10 s, and pages poll every 15 s. A standard
 * turn at 250 m/s strays 400 m from it.
 */
export const SEGMENT_MAX_MS = 15 * SECOND_MS;

/** Beyond this, holds restart and a track inside has not been seen to enter. An aircraft's mark expires then. */
export const FAR_APART_MS = MINUTE_MS;

/** An open alarm is unknown after this silence in a zone not fully watched; one failed read is shorter. */
export const UNKNOWN_AFTER_MS = 30 * SECOND_MS;

/** Watched silence after which a track is lost: when its mark leaves the map. */
export function lostAfterMs(layer: Layer): number {
  const { fallbackTtlMs, expiredMs } = AGEING[KIND_OF_LAYER[layer]];
  return fallbackTtlMs + expiredMs;
}

/** A reference silent this long is gone, watched or not: references rotate. */
export const REFERENCE_GONE_MS = DAY_MS;

/** A return reopens the alarm, however short the hold, and is not announced: limits storms of alarms. */
export const BACK_WITHIN_MS = MINUTE_MS;
/** The same as `BACK_WITHIN_MS`, after `lost`. */
export const FOUND_WITHIN_MS = 10 * MINUTE_MS;

/** Sweeps run at its multiples on the upstream's clock, independent of reads. */
export const SWEEP_MS = 10 * SECOND_MS;

/** A track silent for longer is a new reference. */
export const TRACK_KEPT_MS = 10 * MINUTE_MS;
/** Rows that decide nothing are kept for late positions. */
export const LATE_MS = 10 * MINUTE_MS;

/**
 * Restarts miss no crossing from this near: an aircraft needs SEGMENT_MAX_MS at 330 m/s, a drone FAR_APART_MS at 80
 * m/s.
 */
export const NEAR_M = 5000;

import { AGEING } from '#lib/model/ageing.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer } from '#lib/model/position.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/**
 * Positions of a track at most this far apart are joined by a straight segment. Receivers record a track every 1 to 10 s, and pages
 * poll at least every 15 s. An aircraft in a standard turn at 250 m/s strays 400 m from such a segment.
 */
export const SEGMENT_MAX_MS = 15 * SECOND_MS;

/**
 * Positions farther apart than this say nothing about the time between them: a hold starts again, and a track that is received
 * inside has not been received to enter. An aircraft's mark expires after the same time.
 */
export const FAR_APART_MS = MINUTE_MS;

/** An open alarm is unknown if its zone is not fully watched and its track has been silent for this long. One failed read is shorter. */
export const UNKNOWN_AFTER_MS = 30 * SECOND_MS;

/** A track is lost after this much watched silence: when its mark is removed from the map. Time that was not watched does not count. */
export function lostAfterMs(layer: Layer): number {
  const { fallbackTtlMs, expiredMs } = AGEING[KIND_OF_LAYER[layer]];
  return fallbackTtlMs + expiredMs;
}

/** A reference that was not received for this long is gone, watched or not: references rotate. */
export const REFERENCE_GONE_MS = DAY_MS;

/** A track back inside within this time of leaving reopens its alarm, however short the rule's own hold: a floor for storms. */
export const BACK_WITHIN_MS = 30 * SECOND_MS;
/** The same after it was lost: it has not been received outside. */
export const FOUND_WITHIN_MS = 10 * MINUTE_MS;

/** Silence is looked for at whole multiples of this on the upstream's clock, so that it does not depend on when areas are read. */
export const SWEEP_MS = 10 * SECOND_MS;

/** A track that is silent for longer begins again, as a new reference. */
export const TRACK_KEPT_MS = 10 * MINUTE_MS;
/** Rows that decide nothing any more are kept for this long, for positions that are delivered late. */
export const LATE_MS = 10 * MINUTE_MS;

/** The last positions of tracks within this distance of a zone are stored. At 300 m/s it takes a minute, which is FAR_APART_MS. */
export const NEAR_M = 20_000;

import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

export interface TrackAge {
  readonly state: 'current' | 'coasted' | 'gone';
  /** Part of the lifetime that is left, 1 to 0; `undefined` once expired. */
  readonly left: number | undefined;
  readonly words: string;
}

/** Why a track may be gone for another reason than that nothing more was received of it. */
export interface Watch {
  readonly layerOn: boolean;
  /** What is watched; empty before the first answer. */
  readonly covered: readonly Bbox[];
}

/** A track's last received position, when that expires, and whether it is out of the picture. */
interface KnownTrack {
  readonly position: Position;
  readonly expiresAt: UpstreamInstant;
  readonly gone: boolean;
}

/** How the selected track's last received position stands at `now`, the moment that is shown. */
export function trackAge({ position, expiresAt, gone }: KnownTrack, now: UpstreamInstant, watch: Watch): TrackAge {
  const removedAt = addMs(expiresAt, AGEING[position.kind].coastMs);
  if (gone) return { state: 'gone', left: undefined, words: goneText(position, watch) };
  if (now >= expiresAt) {
    const words = `Expired ${durationText(msBetween(expiresAt, now))} ago · removed in ${durationText(msBetween(now, removedAt))}`;
    return { state: 'coasted', left: undefined, words };
  }
  const ttlMs = msBetween(position.observedAt, expiresAt);
  return {
    state: 'current',
    left: ttlMs > 0 ? Math.min(1, msBetween(now, expiresAt) / ttlMs) : 0,
    words: `Received ${durationText(msBetween(position.observedAt, now))} ago · expires in ${durationText(msBetween(now, expiresAt))}`,
  };
}

function goneText(position: Position, { layerOn, covered }: Watch): string {
  if (!layerOn) return 'No longer shown: its layer is off';
  if (covered.length > 0 && !covered.some((box) => bboxContains(box, position.lon, position.lat))) {
    return 'No longer watched: its last place lies outside the watched area';
  }
  return 'No longer received: this track ended or may have been renumbered';
}

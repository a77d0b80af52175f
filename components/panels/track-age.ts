import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';

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
  readonly expiresAtMs: number;
  readonly gone: boolean;
}

/** How the selected track's last received position stands at `nowMs`, the upstream's clock. */
export function trackAge({ position, expiresAtMs, gone }: KnownTrack, nowMs: number, watch: Watch): TrackAge {
  const removedAtMs = expiresAtMs + AGEING[position.kind].coastMs;
  if (gone) return { state: 'gone', left: undefined, words: goneWords(position, watch) };
  if (nowMs >= expiresAtMs) {
    const words = `Expired ${durationWords(nowMs - expiresAtMs)} ago · removed in ${durationWords(removedAtMs - nowMs)}`;
    return { state: 'coasted', left: undefined, words };
  }
  const lifetimeMs = expiresAtMs - epochMs(position.observedAt);
  return {
    state: 'current',
    left: lifetimeMs > 0 ? Math.min(1, (expiresAtMs - nowMs) / lifetimeMs) : 0,
    words: `Received ${durationWords(nowMs - epochMs(position.observedAt))} ago · expires in ${durationWords(expiresAtMs - nowMs)}`,
  };
}

function goneWords(position: Position, { layerOn, covered }: Watch): string {
  if (!layerOn) return 'No longer shown: its layer is off';
  if (covered.length > 0 && !covered.some((box) => bboxContains(box, position.lon, position.lat))) {
    return 'No longer watched: its last place lies outside the watched area';
  }
  return 'No longer received: this track ended or may have been renumbered';
}

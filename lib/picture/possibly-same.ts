import { distanceM } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { isSameTraffic, successorOffM } from '#lib/model/successor.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { PicturedTracks } from './pictured-tracks.ts';

export interface PossibleSuccessor {
  readonly ref: string;
  readonly distanceM: number;
  readonly gapMs: number;
}

/**
 * The track that may continue an ended one. References rotate, so this guesses by place, time and kind.
 * @param ended the last position of a track that is no longer received
 */
export function possiblySame(ended: Position, tracks: PicturedTracks): PossibleSuccessor | undefined {
  const { columns, beginnings } = tracks;
  const endedMs = epochMs(ended.observedAt);
  let best: PossibleSuccessor | undefined;
  let bestOffM = Number.POSITIVE_INFINITY;
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const gapMs = beginnings.atMs(slot) - endedMs;
    const began = { lon: beginnings.lon(slot), lat: beginnings.lat(slot) };
    const offM = successorOffM(ended, gapMs, began);
    if (offM === undefined || offM >= bestOffM || !isSameTraffic(tracks.positionAt(slot), ended)) continue;
    bestOffM = offM;
    best = { ref: tracks.refAt(slot), distanceM: distanceM(ended, began), gapMs };
  }
  return best;
}

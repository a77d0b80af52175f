import { destination, distanceM } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { PicturedTracks } from './pictured-tracks.ts';

const GAP_MAX_MS = 60 * SECOND_MS;
/** Tolerance: a fixed part, and one of the way since the last position. */
const NEAR_M = 100;
const NEAR_PART_OF_WAY = 0.3;

export interface PossibleSuccessor {
  readonly ref: string;
  readonly distanceM: number;
  readonly gapMs: number;
}

/**
 * References rotate: a guess by place, time and kind.
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
    if (!(gapMs > 0 && gapMs <= GAP_MAX_MS)) continue;
    const began = { lon: beginnings.lon(slot), lat: beginnings.lat(slot) };
    const wayM = ((ended.speedMps ?? 0) * gapMs) / SECOND_MS;
    const expected = ended.headingDeg === undefined ? ended : destination(ended, ended.headingDeg, wayM);
    const offM = distanceM(expected, began);
    if (offM > NEAR_M + NEAR_PART_OF_WAY * wayM || offM >= bestOffM) continue;
    const { kind, simulated, testBroadcast } = tracks.positionAt(slot);
    if (kind !== ended.kind || simulated !== ended.simulated || testBroadcast !== ended.testBroadcast) continue;
    bestOffM = offM;
    best = { ref: tracks.refAt(slot), distanceM: distanceM(ended, began), gapMs };
  }
  return best;
}

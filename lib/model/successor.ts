import { destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Position } from './position.ts';

/** A track that began later than this after the last position of another is not taken for it. */
const GAP_MAX_MS = 60 * SECOND_MS;
/** How far a beginning may be from where the ended track would be by then: a fixed part, and one of the way that it flew meanwhile. */
const NEAR_M = 100;
const NEAR_PART_OF_WAY = 0.3;

/**
 * Metres between a beginning and where an ended track would be by then; `undefined` if the beginning is too far or too late.
 * References rotate: this guesses by place, time and kind alone.
 * @param gapMs from the ended track's last position to the beginning
 */
export function successorOffM(ended: Position, gapMs: number, began: LonLat): number | undefined {
  if (!(gapMs > 0 && gapMs <= GAP_MAX_MS)) return undefined;
  const wayM = ((ended.speedMps ?? 0) * gapMs) / SECOND_MS;
  const expected = ended.headingDeg === undefined ? ended : destination(ended, ended.headingDeg, wayM);
  const offM = distanceM(expected, began);
  return offM > NEAR_M + NEAR_PART_OF_WAY * wayM ? undefined : offM;
}

/** Whether both are of one kind, and both or neither simulated or a test. */
export function isSameTraffic(one: Position, other: Position): boolean {
  return one.kind === other.kind && one.simulated === other.simulated && one.testBroadcast === other.testBroadcast;
}

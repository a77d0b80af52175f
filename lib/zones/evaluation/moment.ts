import { distanceM } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { CompiledRule } from './compile-zones.ts';
import { crossesBetween, type Level } from './levels.ts';
import { SEGMENT_MAX_MS } from './times.ts';
import { heightM } from './vertical.ts';
import type { Progress, Track } from './zone-state.ts';

export interface Received {
  readonly track: Track;
  readonly position: Position;
  readonly atMs: number;
  /** The previous position, if close in time. */
  readonly before: Position | undefined;
}

export interface Moment extends Received {
  readonly compiled: CompiledRule;
  /** The second track of a pair. */
  readonly other: Track | undefined;
  readonly level: Level;
  readonly isHeightUnknown: boolean;
  readonly levelBefore: () => Level;
}

export function newProgress({ compiled, track, other, atMs }: Moment, step: number): Progress {
  return {
    rule: compiled.rule.id,
    zone: compiled.zone.zone.id,
    print: compiled.print,
    track,
    other,
    phase: 'held_in',
    sinceMs: atMs,
    seenMs: atMs,
    agreed: 0,
    first: undefined,
    before: undefined,
    isFirstReceived: false,
    checkedMs: atMs,
    alarm: undefined,
    backUntilMs: Number.NEGATIVE_INFINITY,
    unknownSinceMs: undefined,
    hasSuccessor: false,
    step,
  };
}

export function wasOutside({ before, levelBefore, compiled }: Moment): boolean {
  if (!before || !compiled.zone.hours.isActive(epochMs(before.observedAt))) return false;
  const level = levelBefore();
  return level === 'out' || level === 'near';
}

/** Its depth inside is unknown, so it decides no rule that asks for time only. */
export function isCrossing(moment: Moment): boolean {
  const { compiled, before, position } = moment;
  return wentPast(moment, before) && wasOutside(moment) && crossesBetween(compiled.zone, before, position);
}

/** @param before the last position outside, before a visit too short and too shallow for an alarm */
export function wentPast(
  { compiled, position, atMs, level }: Moment,
  before: Position | undefined,
): before is Position {
  if (compiled.rule.kind !== 'entered' || !compiled.opensByDepth || !before) return false;
  if (level !== 'out' && level !== 'near') return false;
  if (atMs - epochMs(before.observedAt) > SEGMENT_MAX_MS) return false;
  // Each may be wrong by the metres of the hold: a track that hovers is never seen further apart.
  return distanceM(before, position) >= 2 * compiled.holdInM;
}

export function crossedAtUnknownHeight({ compiled, before, position }: Moment): boolean {
  const { vertical } = compiled.zone.zone;
  if (vertical?.unknown !== 'flagged' || (vertical.floor_m === null && vertical.ceiling_m === null)) return false;
  return [before, position].some((one) => one && heightM(one, vertical.field) === undefined);
}

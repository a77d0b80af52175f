import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { emitFor, openAlarm, type Run } from './alarms.ts';
import type { CompiledRule } from './compile-zones.ts';
import { crossesBetween, type Level } from './levels.ts';
import { arePermitted } from './permit-covers.ts';
import { BACK_WITHIN_MS, FAR_APART_MS, SEGMENT_MAX_MS } from './times.ts';
import { addProgress, type Progress, removeProgress, type Track } from './zone-state.ts';

/** One position and what it means for one rule. */
export interface Moment {
  readonly compiled: CompiledRule;
  readonly track: Track;
  /** The second track of a pair. */
  readonly other: Track | undefined;
  readonly position: Position;
  readonly atMs: number;
  readonly level: Level;
  readonly isHeightUnknown: boolean;
  /** The position before, if it is close in time. */
  readonly before: Position | undefined;
  /** Of `before`. */
  readonly levelBefore: () => Level;
}

/**
 * Takes a rule one position further. The whole life of an alarm is decided here, by received positions, and in silence.ts, by their
 * absence:
 * - rest → `held_in` at the first position inside → `inside`, which opens the alarm, at one that is deep enough, long enough after.
 * - `inside` → `held_out` at the first position outside → `ended` (left) at one that is far enough, long enough after.
 * - A position inside during `held_out`, or within the hold after the end, opens the same alarm again; its count is one more.
 * - A position that can't be told changes nothing.
 * - Hours that are over end the alarm at that instant (hours_over).
 */
export function decide(run: Run, moment: Moment, existing: Progress | undefined): void {
  const { compiled, atMs, level } = moment;
  const progress = existing && !endedByHours(run, compiled, existing, atMs) ? existing : undefined;
  if (!compiled.zone.hours.isActive(atMs)) return;
  const isInside = level === 'in' || level === 'shallow';
  if (!progress) {
    if (isInside) hold(run, moment, begun(run, moment));
    else if (isCrossing(moment)) cross(run, moment, begun(run, moment));
    return;
  }
  if (level === 'unknown') return;
  switch (progress.phase) {
    case 'held_in':
      if (isInside) hold(run, moment, progress);
      else giveUp(run, progress);
      break;
    case 'inside':
      if (isInside) staysInside(run, moment, progress);
      else leave(run, moment, progress);
      break;
    case 'held_out':
      if (isInside) comesBack(run, moment, progress);
      else if (isCrossing(moment)) cross(run, moment, progress);
      else staysOutside(run, moment, progress);
      break;
    case 'ended':
      if (isInside || isCrossing(moment)) {
        if (atMs > progress.backUntilMs) progress.alarm = undefined;
        if (isInside) {
          startHold(run, moment, progress, 'held_in');
          hold(run, moment, progress);
        } else cross(run, moment, progress);
      } else {
        progress.backUntilMs = Math.min(progress.backUntilMs, atMs + backWithinMs(compiled));
      }
      break;
  }
}

/** Ends the progress if its hours were over at some time since it was last looked at. */
export function endedByHours(run: Run, { zone }: CompiledRule, progress: Progress, atMs: number): boolean {
  const overMs = progress.phase === 'ended' ? undefined : zone.hours.overBetween(progress.checkedMs, atMs);
  if (overMs === undefined) {
    progress.checkedMs = atMs;
    return false;
  }
  if (progress.phase !== 'held_in') emitFor(run, 'ended', progress, overMs, { end: 'hours_over' });
  removeProgress(run.state, progress);
  run.changed.add(progress);
  return true;
}

/** Ends what has no open alarm: an entry that did not last, or that of a `left` rule. An alarm that it would reopen stays ended. */
export function giveUp(run: Run, progress: Progress): void {
  run.changed.add(progress);
  if (progress.alarm) progress.phase = 'ended';
  else removeProgress(run.state, progress);
}

function backWithinMs({ holdOutMs }: CompiledRule): number {
  return Math.max(BACK_WITHIN_MS, holdOutMs);
}

function begun(run: Run, moment: Moment): Progress {
  const { compiled, track, other, atMs } = moment;
  const progress: Progress = {
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
    step: run.state.steps,
  };
  startHold(run, moment, progress, 'held_in');
  addProgress(run.state, progress);
  return progress;
}

function startHold(run: Run, moment: Moment, progress: Progress, phase: 'held_in' | 'held_out'): void {
  const { atMs, position, before, compiled } = moment;
  progress.phase = phase;
  progress.sinceMs = atMs;
  progress.seenMs = atMs;
  progress.agreed = 0;
  progress.first = position;
  progress.before = before;
  if (phase === 'held_in' && compiled.rule.kind === 'entered') progress.isFirstReceived = !wasOutside(moment);
  run.changed.add(progress);
}

/** Whether the position before was received outside, during the zone's hours. */
function wasOutside({ before, levelBefore, compiled }: Moment): boolean {
  if (!before || !compiled.zone.hours.isActive(epochMs(before.observedAt))) return false;
  const level = levelBefore();
  return level === 'out' || level === 'near';
}

function isFarFrom(moment: Moment, progress: Progress): boolean {
  return moment.atMs - progress.seenMs > FAR_APART_MS;
}

function hold(run: Run, moment: Moment, progress: Progress): void {
  const { compiled, atMs, level } = moment;
  if (isFarFrom(moment, progress)) startHold(run, { ...moment, before: undefined }, progress, 'held_in');
  progress.seenMs = atMs;
  if (level === 'in') progress.agreed++;
  run.changed.add(progress);
  if (level !== 'in' || progress.agreed < compiled.positions || atMs - progress.sinceMs < compiled.holdInMs) return;
  progress.phase = 'inside';
  const { kind } = compiled.rule;
  if (kind === 'left') return;
  const entry = progress.isFirstReceived ? 'first_received_inside' : 'entered';
  openAlarm(run, compiled, progress, kind === 'entered' ? entry : kind, moment.isHeightUnknown);
}

function staysInside(run: Run, { compiled, position, atMs, track, other }: Moment, progress: Progress): void {
  const { alarm } = progress;
  if (!alarm) return;
  if (progress.unknownSinceMs !== undefined) known(run, progress, position, atMs);
  if (!alarm.expected) return;
  if (arePermitted(compiled.zone.zone, [track, other])) return;
  // Announced: the permit ended, or the track is higher than it allows.
  openAlarm(run, compiled, progress, alarm.kind, alarm.heightUnknown);
}

function known(run: Run, progress: Progress, position: Position, atMs: number): void {
  progress.unknownSinceMs = undefined;
  run.changed.add(progress);
  emitFor(run, 'known', progress, atMs, { evidence: [position] });
}

function leave(run: Run, moment: Moment, progress: Progress): void {
  startHold(run, moment, progress, 'held_out');
  staysOutside(run, moment, progress);
}

function comesBack(run: Run, moment: Moment, progress: Progress): void {
  const wasOut = progress.agreed > 0;
  const wasUnknown = progress.unknownSinceMs !== undefined;
  startHold(run, moment, progress, 'held_out');
  progress.phase = 'inside';
  const { alarm } = progress;
  if (!alarm) return;
  if (wasUnknown) known(run, progress, moment.position, moment.atMs);
  else if (wasOut) openAlarm(run, moment.compiled, progress, alarm.kind, alarm.heightUnknown);
}

function staysOutside(run: Run, moment: Moment, progress: Progress): void {
  const { compiled, position, atMs, level } = moment;
  if (isFarFrom(moment, progress)) startHold(run, { ...moment, before: undefined }, progress, 'held_out');
  progress.seenMs = atMs;
  if (level === 'out') progress.agreed++;
  run.changed.add(progress);
  if (level !== 'out' || atMs - progress.sinceMs < compiled.holdOutMs) return;
  const isLeftRule = compiled.rule.kind === 'left';
  if (isLeftRule) openAlarm(run, compiled, progress, 'left', moment.isHeightUnknown);
  const evidence = progress.first && progress.first !== position ? [progress.first, position] : [position];
  emitFor(run, 'ended', progress, isLeftRule ? atMs : progress.sinceMs, { end: 'left', evidence });
  progress.phase = 'ended';
  progress.unknownSinceMs = undefined;
  progress.backUntilMs = progress.sinceMs + backWithinMs(compiled);
}

/** A crossing says nothing of how long or how deep the track was inside, so only a rule without a hold is decided by it. */
function isCrossing({ compiled, before, position, atMs, level, ...moment }: Moment): boolean {
  const { rule, zone } = compiled;
  if (rule.kind !== 'entered' || rule.hold_s > 0 || rule.hold_m > 0 || !before) return false;
  if (level !== 'out' && level !== 'near') return false;
  if (atMs - epochMs(before.observedAt) > SEGMENT_MAX_MS) return false;
  return wasOutside({ compiled, before, position, atMs, level, ...moment }) && crossesBetween(zone, before, position);
}

function cross(run: Run, moment: Moment, progress: Progress): void {
  startHold(run, moment, progress, 'held_out');
  openAlarm(run, moment.compiled, progress, 'crossed_between', crossedAtUnknownHeight(moment));
  staysOutside(run, moment, progress);
}

function crossedAtUnknownHeight({ compiled, before, position }: Moment): boolean {
  const { vertical } = compiled.zone.zone;
  if (vertical?.unknown !== 'flagged' || (vertical.floor_m === null && vertical.ceiling_m === null)) return false;
  return [before, position].some(
    (one) => one && (vertical.field === 'height_agl_m' ? one.heightAglM : one.altitudeM) === undefined,
  );
}

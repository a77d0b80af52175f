import { distanceM } from '#lib/geo/great-circle.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { heightM } from '../height-field.ts';
import { emitFor, type Run } from './alarms.ts';
import type { CompiledRule } from './compile-zones.ts';
import { crossesBetween, type Level } from './levels.ts';
import { arePermitted, openAlarm } from './open-alarm.ts';
import { mayFollow } from './suspension.ts';
import { BACK_WITHIN_MS, FAR_APART_MS, SEGMENT_MAX_MS } from './times.ts';
import { addProgress, type Progress, removeProgress, type Track } from './zone-state.ts';

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

/**
 * Applies one position to a rule. silence.ts decides by the absence of positions. When an alarm changes:
 * - rest → `held_in` at the first position inside → `inside` (opened) when deep or long enough, or gone past.
 * - `inside` → `held_out` at the first position outside → `ended` (left) when far and long enough.
 * - A position inside during `held_out`, or within the hold after the end, reopens the alarm (`returned` if soon).
 * - A position neither surely inside nor surely outside changes nothing.
 * - unknown: the track is silent and its zone not fully watched. known: a position inside.
 * - ended (lost): silent through `lostAfterMs` of watched time; reopened by a position inside within `FOUND_WITHIN_MS`.
 * - ended (reference_gone): lost, and a new reference began near its last place; or silent for `REFERENCE_GONE_MS`.
 */
export function decide(run: Run, moment: Moment, existing: Progress | undefined): void {
  const { compiled, atMs, level } = moment;
  const progress = existing && !endedByHours(run, compiled, existing, atMs) ? existing : undefined;
  if (!compiled.zone.hours.isActive(atMs)) return;
  const isInside = level === 'in' || level === 'shallow';
  if (!progress) {
    const begins = isInside || isCrossing(moment);
    if (!begins || !mayFollow(run, compiled, moment.track, atMs)) return;
    if (isInside) hold(run, moment, begun(run, moment));
    else cross(run, moment, begun(run, moment));
    return;
  }
  if (level === 'unknown') return;
  switch (progress.phase) {
    case 'held_in':
      if (isInside) hold(run, moment, progress);
      else if (!progress.isFirstReceived && wentPast(moment, progress.before)) pass(run, moment, progress);
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
        forgetAfterHold(progress, atMs);
        if (isInside) {
          startHold(run, moment, progress, 'held_in');
          hold(run, moment, progress);
        } else cross(run, moment, progress);
      } else {
        staysAway(run, progress, atMs + backWithinMs(compiled));
      }
      break;
  }
}

export function endedByHours(run: Run, { zone }: CompiledRule, progress: Progress, atMs: number): boolean {
  const overMs = zone.hours.overBetween(progress.checkedMs, atMs);
  if (overMs === undefined || progress.phase === 'ended') {
    progress.checkedMs = atMs;
    // Stored, so that this end of hours ends no later return after a restart.
    if (overMs !== undefined) run.changed.add(progress);
    return false;
  }
  emitFor(run, 'ended', progress, overMs, { end: 'hours_over' });
  removeProgress(run.state, progress);
  run.changed.add(progress);
  return true;
}

export function giveUp(run: Run, progress: Progress): void {
  run.changed.add(progress);
  if (progress.alarm) progress.phase = 'ended';
  else removeProgress(run.state, progress);
}

function forgetAfterHold(progress: Progress, atMs: number): void {
  if (atMs > progress.backUntilMs) progress.alarm = undefined;
}

/** Shortens the time for a return: only its hold remains. */
function staysAway(run: Run, progress: Progress, backUntilMs: number): void {
  if (backUntilMs >= progress.backUntilMs) return;
  progress.backUntilMs = backUntilMs;
  run.changed.add(progress);
}

function backWithinMs({ holdOutMs }: CompiledRule): number {
  return Math.max(BACK_WITHIN_MS, holdOutMs);
}

function begun(run: Run, moment: Moment): Progress {
  const progress = newProgress(moment, run.state.steps);
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
  if (phase === 'held_in' && compiled.kind.entries) progress.isFirstReceived = !wasOutside(moment);
  run.changed.add(progress);
}

function isFarFrom(moment: Moment, progress: Progress): boolean {
  return moment.atMs - progress.seenMs > FAR_APART_MS;
}

function hold(run: Run, moment: Moment, progress: Progress): void {
  const { compiled, atMs, level } = moment;
  if (isFarFrom(moment, progress)) {
    forgetAfterHold(progress, atMs);
    startHold(run, { ...moment, before: undefined }, progress, 'held_in');
  }
  progress.seenMs = atMs;
  progress.agreed++;
  run.changed.add(progress);
  const isDeep = level === 'in' && compiled.opensByDepth;
  const isLong = compiled.holdInMs > 0 && atMs - progress.sinceMs >= compiled.holdInMs;
  if ((!isDeep && !isLong) || progress.agreed < compiled.positions) return;
  progress.phase = 'inside';
  open(run, moment, progress);
}

function open(run: Run, { compiled, isHeightUnknown }: Moment, progress: Progress): void {
  const { rule, kind } = compiled;
  if (kind.opensOutside) return;
  const firstReceived = progress.isFirstReceived ? kind.entries?.firstReceived : undefined;
  openAlarm(run, compiled, progress, firstReceived ?? rule.kind, isHeightUnknown);
}

function staysInside(run: Run, moment: Moment, progress: Progress): void {
  const { compiled, position, atMs, track, other } = moment;
  const { alarm } = progress;
  if (!alarm?.isOpen) {
    // The alarm was refused while the rule was suspended.
    open(run, moment, progress);
    return;
  }
  if (progress.unknownSinceMs !== undefined) known(run, progress, position, atMs);
  const isPermitted = arePermitted(compiled.zone, [track, other]);
  if (alarm.expected === isPermitted) return;
  if (isPermitted) {
    alarm.expected = true;
    run.changed.add(progress);
    emitFor(run, 'permitted', progress, atMs);
    return;
  }
  // The alarm is announced now: the permit ended, or the track left its volume.
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
  const awaySinceMs = progress.sinceMs;
  startHold(run, moment, progress, 'held_out');
  progress.phase = 'inside';
  const { alarm } = progress;
  if (!alarm?.isOpen) {
    open(run, moment, progress);
    return;
  }
  if (wasUnknown) known(run, progress, moment.position, moment.atMs);
  else if (wasOut) {
    alarm.awaySinceMs = awaySinceMs;
    openAlarm(run, moment.compiled, progress, alarm.kind, alarm.heightUnknown);
  }
}

function staysOutside(run: Run, moment: Moment, progress: Progress): void {
  const { compiled, position, atMs, level } = moment;
  if (isFarFrom(moment, progress)) startHold(run, { ...moment, before: undefined }, progress, 'held_out');
  progress.seenMs = atMs;
  if (level === 'out') progress.agreed++;
  run.changed.add(progress);
  if (level !== 'out' || atMs - progress.sinceMs < compiled.holdOutMs) return;
  const { opensOutside } = compiled.kind;
  if (opensOutside) openAlarm(run, compiled, progress, compiled.rule.kind, moment.isHeightUnknown);
  const evidence = progress.first && progress.first !== position ? [progress.first, position] : [position];
  emitFor(run, 'ended', progress, opensOutside ? atMs : progress.sinceMs, { end: 'left', evidence });
  progress.phase = 'ended';
  progress.unknownSinceMs = undefined;
  progress.backUntilMs = progress.sinceMs + backWithinMs(compiled);
}

function cross(run: Run, moment: Moment, progress: Progress): void {
  startHold(run, moment, progress, 'held_out');
  const { rule, kind } = moment.compiled;
  openAlarm(run, moment.compiled, progress, kind.entries?.crossed ?? rule.kind, crossedAtUnknownHeight(moment));
  leave(run, moment, progress);
}

/**
 * Opens the alarm of a visit that has ended, and ends it. Its positions inside were received: that is no crossing
 * between two others.
 */
function pass(run: Run, moment: Moment, progress: Progress): void {
  openAlarm(run, moment.compiled, progress, moment.compiled.rule.kind, moment.isHeightUnknown);
  leave(run, moment, progress);
}

function newProgress({ compiled, track, other, atMs }: Moment, step: number): Progress {
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

function wasOutside({ before, levelBefore, compiled }: Moment): boolean {
  if (!before || !compiled.zone.hours.isActive(epochMs(before.observedAt))) return false;
  const level = levelBefore();
  return level === 'out' || level === 'near';
}

/** Whether the track crossed the zone. Its depth inside is unknown, so it decides no rule that asks for time only. */
function isCrossing(moment: Moment): boolean {
  const { compiled, before, position } = moment;
  return wentPast(moment, before) && wasOutside(moment) && crossesBetween(compiled.zone, before, position);
}

/** @param before the last position outside, before a visit too short and too shallow for an alarm */
function wentPast({ compiled, position, atMs, level }: Moment, before: Position | undefined): before is Position {
  if (!compiled.kind.entries || !compiled.opensByDepth || !before) return false;
  if (level !== 'out' && level !== 'near') return false;
  if (atMs - epochMs(before.observedAt) > SEGMENT_MAX_MS) return false;
  // Each may be wrong by the metres of the hold: a track that hovers is never seen further apart.
  return distanceM(before, position) >= 2 * compiled.holdInM;
}

function crossedAtUnknownHeight({ compiled, before, position }: Moment): boolean {
  const { vertical } = compiled.zone.zone;
  if (vertical?.unknown !== 'flagged' || (vertical.floor_m === null && vertical.ceiling_m === null)) return false;
  return [before, position].some((one) => one && heightM(one, vertical.field) === undefined);
}

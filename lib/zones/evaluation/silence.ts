import { emitFor, type Run } from './alarms.ts';
import type { CompiledRule } from './compile-zones.ts';
import { endedByHours, giveUp } from './decide.ts';
import { GUESSED_AMONG } from './open-alarm.ts';
import { quietSweep } from './quiet.ts';
import { decided, suspensionSweep } from './suspension.ts';
import { FOUND_WITHIN_MS, LATE_MS, lostAfterMs, REFERENCE_GONE_MS, SWEEP_MS, UNKNOWN_AFTER_MS } from './times.ts';
import {
  lastReceivedMs,
  type Progress,
  removeProgress,
  type Stretch,
  unwatchedSince,
  type Watch,
  watchedMs,
} from './zone-state.ts';

/** Decides by the time that has passed. decide.ts lists the outcomes. */
export function sweep(run: Run, stretch: Stretch, atMs: number): void {
  const { watch, reason } = stretch;
  const unwatchedMs = unwatchedSince(watch, atMs);
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const compiled of run.zones.zones.get(watch.zone)?.quiet ?? []) {
    const decide = () => quietSweep(run, watch, [compiled], atMs, unwatchedMs, reason);
    oldestMs = Math.min(oldestMs, decided(run, compiled, watch.layer, atMs, decide) ?? oldestMs);
  }
  for (const progress of watch.progress) {
    const compiled = run.zones.rules.get(progress.rule);
    if (!compiled) continue;
    oldestMs = Math.min(oldestMs, lastReceivedMs(progress));
    decided(run, compiled, watch.layer, atMs, () => sweepOne(run, stretch, compiled, progress, atMs, unwatchedMs));
  }
  suspensionSweep(run, watch, atMs, unwatchedMs, reason);
  while (watch.gaps[0] && watch.gaps[0][1] < Math.min(oldestMs, atMs - SWEEP_MS)) watch.gaps.shift();
}

function sweepOne(
  run: Run,
  { watch, reason }: Stretch,
  compiled: CompiledRule,
  progress: Progress,
  atMs: number,
  unwatchedMs: number | undefined,
): void {
  if (endedByHours(run, compiled, progress, atMs)) return;
  const lastMs = lastReceivedMs(progress);
  const silentMs = atMs - lastMs;
  if (progress.phase === 'ended') {
    // Many are forgotten as soon as no later position can reopen the alarm; a guess by place says nothing among them.
    const isOver = watch.progress.size > GUESSED_AMONG && lastMs > progress.backUntilMs;
    if (isOver || (atMs > progress.backUntilMs + LATE_MS && silentMs > LATE_MS)) forget(run, progress);
  } else if (silentMs >= REFERENCE_GONE_MS) {
    lose(run, progress, atMs, true);
  } else if (unwatchedMs === undefined) {
    if (watchedMs(watch, lastMs, atMs) >= lostAfterMs(watch.layer)) lose(run, progress, atMs, progress.hasSuccessor);
  } else if (silentMs >= UNKNOWN_AFTER_MS && progress.unknownSinceMs === undefined && progress.phase !== 'held_in') {
    progress.unknownSinceMs = Math.max(unwatchedMs, lastMs);
    run.changed.add(progress);
    emitFor(run, 'unknown', progress, progress.unknownSinceMs, { reason });
  }
}

function lose(run: Run, progress: Progress, atMs: number, isGone: boolean): void {
  if (!progress.alarm?.isOpen) {
    giveUp(run, progress);
    return;
  }
  const lastMs = lastReceivedMs(progress);
  const { track, other } = progress;
  const silent = other && other.atMs < track.atMs ? other : track;
  emitFor(run, 'ended', progress, lastMs, { end: isGone ? 'reference_gone' : 'lost', evidence: [silent.position] });
  progress.phase = 'ended';
  progress.unknownSinceMs = undefined;
  progress.backUntilMs = atMs + FOUND_WITHIN_MS;
  run.changed.add(progress);
}

/**
 * Time since then was taken for watched, and was not: of alarms that ended by a silence in it, nothing is known.
 * `backUntilMs` has the sweep of the end, as long as no position came since.
 */
export function undoLosses(run: Run, watch: Watch, fromMs: number, reason: Stretch['reason']): void {
  for (const progress of watch.progress) {
    const { alarm, phase, backUntilMs } = progress;
    const lastMs = lastReceivedMs(progress);
    const endedMs = backUntilMs - FOUND_WITHIN_MS;
    const silentMs = endedMs - lastMs;
    if (phase !== 'ended' || !alarm || alarm.awaySinceMs !== lastMs || endedMs <= fromMs) continue;
    if (silentMs < lostAfterMs(watch.layer) || silentMs >= REFERENCE_GONE_MS) continue;
    if (watchedMs(watch, lastMs, endedMs) >= lostAfterMs(watch.layer)) continue;
    progress.phase = 'inside';
    progress.backUntilMs = Number.NEGATIVE_INFINITY;
    progress.unknownSinceMs = Math.max(fromMs, lastMs);
    alarm.isOpen = true;
    run.state.tally.opened(progress);
    alarm.awaySinceMs = undefined;
    run.changed.add(progress);
    emitFor(run, 'unknown', progress, progress.unknownSinceMs, { reason });
  }
}

function forget(run: Run, progress: Progress): void {
  removeProgress(run.state, progress);
  run.changed.add(progress);
}

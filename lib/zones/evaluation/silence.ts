import { emitFor, type Run } from './alarms.ts';
import { endedByHours, giveUp } from './decide.ts';
import { quietSweep } from './quiet.ts';
import { FOUND_WITHIN_MS, LATE_MS, lostAfterMs, REFERENCE_GONE_MS, SWEEP_MS, UNKNOWN_AFTER_MS } from './times.ts';
import { type Stretch, unwatchedSince, watchedMs } from './watch-time.ts';
import { lastReceivedMs, type Progress, removeProgress, type Watch } from './zone-state.ts';

/** decide.ts lists the outcomes. */
export function sweep(run: Run, { watch, reason }: Stretch, atMs: number): void {
  const unwatchedMs = unwatchedSince(watch, atMs);
  let oldestMs = quietSweep(run, watch, atMs, unwatchedMs, reason);
  for (const progress of watch.progress) {
    const compiled = run.zones.rules.get(progress.rule);
    if (!compiled || endedByHours(run, compiled, progress, atMs)) continue;
    const lastMs = lastReceivedMs(progress);
    oldestMs = Math.min(oldestMs, lastMs);
    const silentMs = atMs - lastMs;
    if (progress.phase === 'ended') {
      if (atMs > progress.backUntilMs + LATE_MS && silentMs > LATE_MS) forget(run, progress);
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
  while (watch.gaps[0] && watch.gaps[0][1] < Math.min(oldestMs, atMs - SWEEP_MS)) watch.gaps.shift();
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
    alarm.awaySinceMs = undefined;
    run.changed.add(progress);
    emitFor(run, 'unknown', progress, progress.unknownSinceMs, { reason });
  }
}

function forget(run: Run, progress: Progress): void {
  removeProgress(run.state, progress);
  run.changed.add(progress);
}

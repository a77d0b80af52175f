import type { Position } from '#lib/model/position.ts';
import { isSameTraffic, successorOffM } from '#lib/model/successor.ts';
import { compareInstants } from '#lib/time/instant.ts';
import type { AlarmKind } from '../alarm.ts';
import { isPermitted } from '../permit.ts';
import { alarmKey, emitFor, type Run } from './alarms.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import { mayOpen } from './suspension.ts';
import { BACK_WITHIN_MS } from './times.ts';
import { type Progress, type Track, watchOf } from './zone-state.ts';

/**
 * Reopens it if the track is back within the hold. Does nothing while the rule is suspended.
 * @param kind one of the row of the rule
 */
export function openAlarm(
  run: Run,
  compiled: CompiledRule,
  progress: Progress,
  kind: string,
  isHeightUnknown: boolean,
): void {
  const { zone } = compiled;
  const { track, other, alarm } = progress;
  const atMs = Math.max(track.atMs, other?.atMs ?? track.atMs);
  if (!alarm?.isOpen) {
    if (!mayOpen(run, compiled, track, atMs)) return;
    run.state.tally.opened(progress);
  }
  const expected = arePermitted(zone, [track, other]);
  const evidence = decidingPositions(progress);
  progress.unknownSinceMs = undefined;
  run.changed.add(progress);
  if (alarm) {
    alarm.isOpen = true;
    alarm.count++;
    alarm.expected = expected;
    const isBrief = alarm.awaySinceMs !== undefined && atMs - alarm.awaySinceMs <= BACK_WITHIN_MS;
    alarm.awaySinceMs = undefined;
    emitFor(run, isBrief ? 'returned' : 'reopened', progress, atMs, { evidence });
    return;
  }
  progress.alarm = {
    key: alarmKey(progress.rule, track.layer, track.ref, other && { layer: other.layer, ref: other.ref }, atMs),
    revision: zone.zone.revision,
    kind: kind as AlarmKind,
    openedMs: atMs,
    isOpen: true,
    count: 1,
    heightUnknown: isHeightUnknown,
    simulated: track.position.simulated || (other?.position.simulated ?? false),
    test: track.position.testBroadcast || (other?.position.testBroadcast ?? false),
    expected,
    perhapsSameAs: predecessorKey(run, progress),
    awaySinceMs: undefined,
  };
  emitFor(run, 'opened', progress, atMs, { evidence });
}

function decidingPositions({ before, first, track, other }: Progress): Position[] {
  return [before, first, track.position, other?.position]
    .filter((one, index, all): one is Position => one !== undefined && all.indexOf(one) === index)
    .toSorted((one, next) => compareInstants(one.observedAt, next.observedAt));
}

/** Above this, a guess by place says nothing and takes long. */
export const GUESSED_AMONG = 200;

/** An alarm of the rule whose reference fell silent just before near this one. */
function predecessorKey(run: Run, progress: Progress): string | undefined {
  const { track, other } = progress;
  const all = watchOf(run.state, progress.zone, track.layer).progress;
  if (other || all.size > GUESSED_AMONG) return undefined;
  let best: Progress | undefined;
  let bestOffM = Number.POSITIVE_INFINITY;
  for (const candidate of all) {
    if (candidate.rule !== progress.rule || candidate.hasSuccessor || !candidate.alarm || candidate.track === track)
      continue;
    const { position, atMs } = candidate.track;
    const offM = successorOffM(position, track.firstMs - atMs, track.first);
    if (offM === undefined || offM >= bestOffM || !isSameTraffic(position, track.position)) continue;
    bestOffM = offM;
    best = candidate;
  }
  if (!best) return undefined;
  best.hasSuccessor = true;
  run.changed.add(best);
  return best.alarm?.key;
}

/** Whether permits of the zone cover all tracks of an alarm: it is then expected. */
export function arePermitted({ permits }: CompiledZone, tracks: readonly (Track | undefined)[]): boolean {
  return tracks.every((track) => !track || isPermitted(permits, track.layer, track.position));
}

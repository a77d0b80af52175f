import type { Layer, Position } from '#lib/model/position.ts';
import { isSameTraffic, successorOffM } from '#lib/model/successor.ts';
import { compareInstants, upstreamInstant } from '#lib/time/instant.ts';
import type { AlarmKind } from '../alarm.ts';
import type { CompiledRule, CompiledZones } from './compile-zones.ts';
import { arePermitted } from './permit-covers.ts';
import { BACK_WITHIN_MS } from './times.ts';
import type { Transition, TransitionType } from './transition.ts';
import { type AlarmFacts, type Progress, type Track, type Watch, watchOf, type ZoneState } from './zone-state.ts';

export interface Run {
  readonly zones: CompiledZones;
  readonly state: ZoneState;
  readonly transitions: Transition[];
  readonly changed: Set<Progress>;
  readonly tracks: Track[];
  readonly watches: Set<Watch>;
  late: number;
}

interface Subject {
  readonly zone: string;
  readonly rule: string;
  readonly layer: Layer;
  readonly ref: string | undefined;
  readonly other: Transition['other'];
}

type Details = Partial<Pick<Transition, 'end' | 'reason' | 'evidence'>>;

export function emit(
  run: Run,
  type: TransitionType,
  subject: Subject,
  alarm: AlarmFacts,
  atMs: number,
  details: Details = {},
): void {
  run.transitions.push({
    type,
    key: alarm.key,
    zone: subject.zone,
    revision: alarm.revision,
    rule: subject.rule,
    layer: subject.layer,
    ref: subject.ref,
    other: subject.other,
    kind: alarm.kind,
    at: upstreamInstant(atMs),
    openedAt: upstreamInstant(alarm.openedMs),
    count: alarm.count,
    end: details.end,
    reason: details.reason ?? null,
    evidence: details.evidence ?? [],
    heightUnknown: alarm.heightUnknown,
    simulated: alarm.simulated,
    test: alarm.test,
    expected: alarm.expected,
    perhapsSameAs: alarm.perhapsSameAs,
    found: 'live',
  });
}

export function emitFor(run: Run, type: TransitionType, progress: Progress, atMs: number, details?: Details): void {
  const { alarm, zone, rule, track, other } = progress;
  if (!alarm?.isOpen) return;
  if (type === 'ended') {
    alarm.isOpen = false;
    alarm.awaySinceMs = atMs;
  }
  const { layer, ref } = track;
  emit(
    run,
    type,
    { zone, rule, layer, ref, other: other && { layer: other.layer, ref: other.ref } },
    alarm,
    atMs,
    details,
  );
}

/** Equal at every server and in every replay. */
export function alarmKey(
  rule: string,
  layer: Layer,
  ref: string | undefined,
  other: Transition['other'],
  openedMs: number,
): string {
  return [rule, layer, ref ?? '', ...(other ? [other.layer, other.ref] : []), openedMs].join('|');
}

/** Reopens it if the track is back within the hold. */
export function openAlarm(
  run: Run,
  { zone }: CompiledRule,
  progress: Progress,
  kind: AlarmKind,
  isHeightUnknown: boolean,
): void {
  const { track, other, alarm } = progress;
  const atMs = Math.max(track.atMs, other?.atMs ?? track.atMs);
  const expected = arePermitted(zone.zone, [track, other]);
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
    kind,
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
const GUESSED_AMONG = 200;

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

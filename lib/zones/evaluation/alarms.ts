import type { Layer } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { CompiledZones } from './compile-zones.ts';
import type { Transition, TransitionType } from './transition.ts';
import type { AlarmFacts, Progress, Track, Watch, ZoneState } from './zone-state.ts';

export interface Run {
  readonly zones: CompiledZones;
  readonly state: ZoneState;
  readonly transitions: Transition[];
  readonly changed: Set<Progress>;
  readonly tracks: Track[];
  readonly watches: Set<Watch>;
  readonly failures: RuleFailure[];
  /** Decisions so far, by operator. */
  readonly work: Map<string, number>;
  late: number;
}

/** A rule threw: it is set aside until its zone changes, or the state is loaded again. */
export interface RuleFailure {
  readonly zone: string;
  readonly rule: string;
  readonly error: unknown;
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
    run.state.tally.ended(progress);
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

/** The key is equal at every server and in every replay. */
export function alarmKey(
  rule: string,
  layer: Layer,
  ref: string | undefined,
  other: Transition['other'],
  openedMs: number,
): string {
  return [rule, layer, ref ?? '', ...(other ? [other.layer, other.ref] : []), openedMs].join('|');
}

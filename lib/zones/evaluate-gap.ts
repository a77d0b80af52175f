import type { Layer } from '#lib/model/position.ts';
import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { isSuspension } from './alarm.ts';
import { drained, type Evaluation, evaluateInSteps } from './evaluate.ts';
import { alarmKey } from './evaluation/alarms.ts';
import { type CompiledZones, compileZones } from './evaluation/compile-zones.ts';
import { changedRows } from './evaluation/state-rows.ts';
import { FAR_APART_MS } from './evaluation/times.ts';
import type { Observation, Transition, WatchedZone } from './evaluation/transition.ts';
import {
  addProgress,
  emptyZoneState,
  moveTrack,
  NO_PROGRESS,
  type Progress,
  progressKey,
  removeProgress,
  type Track,
  type ZoneState,
} from './evaluation/zone-state.ts';
import { kindOf } from './rule-kinds.ts';

export interface Gap {
  readonly zoneId: string;
  readonly layer: Layer;
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
}

export interface KnownAlarm extends Pick<Transition, 'key' | 'rule' | 'ref' | 'other' | 'openedAt'> {
  /** When the alarm ended; `undefined` while it is open or unknown. */
  readonly endedAt: UpstreamInstant | undefined;
}

/** The window to read: wider than the gap, to contain a track's way in and a rule's hold. */
export function gapWindow(zone: WatchedZone, { from, to }: Gap): Window {
  const holdS = Math.max(0, ...zone.rules.map((rule) => Math.max(rule.hold_s, kindOf(rule).insideS?.(rule) ?? 0)));
  return { start: addMs(from, -(holdS * SECOND_MS + FAR_APART_MS)), end: addMs(to, FAR_APART_MS) };
}

/**
 * Finds alarms that opened in a gap, and ends known ones whose track left.
 * @param observations of `gapWindow`, in any order
 * @param known alarms of the zone and layer open within `gapWindow`
 */
export function evaluateGap(...of: Parameters<typeof evaluateGapInSteps>): Evaluation {
  return drained(evaluateGapInSteps(...of));
}

/** Does the same as `evaluateGap`, and yields between its steps. */
export function* evaluateGapInSteps(
  zones: CompiledZones,
  state: ZoneState,
  gap: Gap,
  observations: readonly Observation[],
  known: readonly KnownAlarm[],
): Generator<undefined, Evaluation> {
  const transitions: Transition[] = [];
  const changed = new Set<Progress>();
  const tracks = new Set<Track>();
  const compiled = zones.zones.get(gap.zoneId);
  if (compiled) {
    const alone = compileZones([compiled.zone], zones, zones.bounds);
    const past = yield* evaluateInSteps(alone, emptyZoneState(), observations, []);
    const knownOf = Map.groupBy(known, subjectOf);
    const ends = new Map(known.map(({ key, endedAt }) => [key, endedAt === undefined ? undefined : epochMs(endedAt)]));
    const all = alarmsOf(past.transitions);
    for (const alarm of all) {
      const { opened, endedMs } = alarm;
      if (opened.layer !== gap.layer) continue;
      if (isSuspension(opened.kind)) {
        transitions.push(...suspensionIn(gap, opened));
        continue;
      }
      const own = knownOf.get(subjectOf(opened))?.find((one) => overlaps(one, ends.get(one.key), alarm));
      const live = progressOf(state, opened);
      if (own) {
        const isOver = endedMs !== undefined && endedMs > epochMs(gap.from) && endedMs <= epochMs(gap.to);
        if (isOver && live?.alarm?.key === own.key && live.unknownSinceMs !== undefined) {
          const last = alarm.transitions.at(-1) as Transition;
          transitions.push(endOf(live, last));
          // A later visit in the gap is another alarm.
          ends.set(own.key, endedMs);
          removeProgress(state, live);
          changed.add(live);
        }
        for (const back of returnsIn(gap, alarm)) all.push(back);
        continue;
      }
      if (opened.at <= gap.from || opened.at > gap.to) continue;
      for (const transition of alarm.transitions) transitions.push({ ...transition, found: 'history' });
      // The progress of its track's last alarm.
      const last = progressOf(past.state, opened);
      const later = last?.alarm?.key === alarm.pastKey ? last : undefined;
      const isLater = live?.phase === 'ended' && (live.alarm?.openedMs ?? 0) >= epochMs(opened.at);
      const isAfterEnd = live?.phase === 'ended' && !isLater;
      // A return must reopen the found alarm, not the earlier one too.
      if (later?.alarm) {
        const count = alarm.transitions.at(-1)?.count ?? 1;
        later.alarm = { ...later.alarm, key: opened.key, openedMs: epochMs(opened.at), count };
      }
      if (later && !isLater && (isAfterEnd || endedMs === undefined)) continueLive(state, later, live, changed, tracks);
    }
  }
  const rows = () => changedRows({ state, changed, tracks: [...tracks], watches: new Set() });
  return { state, transitions, rows, late: 0, failures: [] };
}

interface FoundAlarm {
  readonly opened: Transition;
  readonly transitions: Transition[];
  /** The alarm's key in the evaluation of the past. */
  readonly pastKey: string;
  endedMs: number | undefined;
}

function alarmsOf(transitions: readonly Transition[]): FoundAlarm[] {
  const found = new Map<string, FoundAlarm>();
  for (const transition of transitions) {
    const alarm = found.get(transition.key);
    if (!alarm)
      found.set(transition.key, {
        opened: transition,
        transitions: [transition],
        pastKey: transition.key,
        endedMs: undefined,
      });
    else {
      alarm.transitions.push(transition);
      alarm.endedMs = transition.type === 'ended' ? epochMs(transition.at) : undefined;
    }
  }
  return [...found.values()];
}

/**
 * Returns after an end, each as an alarm of its own: known alarms may cover other visits of the found one, before the
 * gap or after it.
 */
function returnsIn({ from, to }: Gap, { transitions, pastKey }: FoundAlarm): FoundAlarm[] {
  const visits: Transition[][] = [];
  for (const [index, each] of transitions.entries()) {
    const isReturn = each.type === 'returned' || each.type === 'reopened';
    if (isReturn && transitions[index - 1]?.type === 'ended') visits.push([each]);
    else visits.at(-1)?.push(each);
  }
  return visits.flatMap((visit, number) => {
    const { rule, layer, ref, other, at, count } = visit[0] as Transition;
    if (at <= from || at > to) return [];
    const key = alarmKey(rule, layer, ref, other, epochMs(at));
    const own = visit.map((each, index) => ({
      ...each,
      key,
      openedAt: at,
      type: index === 0 ? 'opened' : each.type,
      count: each.count - count + 1,
    }));
    const isLast = number === visits.length - 1;
    return alarmsOf(own).map((alarm) => ({ ...alarm, pastKey: isLast ? pastKey : key }));
  });
}

function subjectOf({ rule, ref, other }: Pick<Transition, 'rule' | 'ref' | 'other'>): string {
  return JSON.stringify([rule, ref, other?.layer, other?.ref]);
}

/** The gap had more alarms of the rule than are listed. */
function suspensionIn({ from, to }: Gap, opened: Transition): readonly Transition[] {
  if (opened.at <= from || opened.at > to) return [];
  return [
    { ...opened, found: 'history' },
    { ...opened, found: 'history', type: 'ended', at: to, end: 'resumed' },
  ];
}

/** Whether two alarms of the same rule and tracks overlap in time. */
function overlaps(
  { openedAt }: KnownAlarm,
  knownEndMs: number = Number.POSITIVE_INFINITY,
  { opened, endedMs = Number.POSITIVE_INFINITY }: FoundAlarm,
): boolean {
  return epochMs(openedAt) <= endedMs && knownEndMs >= epochMs(opened.openedAt);
}

function progressOf(state: ZoneState, { layer, ref = '', rule, other }: Transition): Progress | undefined {
  return state.tracks[layer].get(ref)?.progress.get(progressKey(rule, other));
}

function endOf({ alarm }: Progress, last: Transition): Transition {
  return {
    ...last,
    key: alarm?.key ?? last.key,
    openedAt: alarm ? upstreamInstant(alarm.openedMs) : last.openedAt,
    kind: alarm?.kind ?? last.kind,
    count: alarm?.count ?? last.count,
    found: 'history',
  };
}

/** A hold in its place would open another alarm. */
function continueLive(
  state: ZoneState,
  past: Progress,
  live: Progress | undefined,
  changed: Set<Progress>,
  tracks: Set<Track>,
): void {
  if (live && live.phase !== 'held_in' && live.phase !== 'ended') return;
  const trackOf = (track: Track) => {
    const own = state.tracks[track.layer].get(track.ref);
    if (own && own.atMs >= track.atMs) return own;
    if (own) moveTrack(state, own, track.position);
    else
      state.tracks[track.layer].set(track.ref, {
        ...track,
        slot: state.places.add(track.position),
        progress: NO_PROGRESS,
      });
    const taken = state.tracks[track.layer].get(track.ref) as Track;
    tracks.add(taken);
    return taken;
  };
  const [track, other] = [trackOf(past.track), past.other && trackOf(past.other)];
  if (live) {
    removeProgress(state, live);
    changed.add(live);
  }
  const progress = { ...past, track, other };
  addProgress(state, progress);
  changed.add(progress);
}

import { compareInstants, epochMs } from '#lib/time/instant.ts';
import { emitFor, type RuleFailure, type Run } from './evaluation/alarms.ts';
import type { CompiledZones } from './evaluation/compile-zones.ts';
import { NearbyTracks } from './evaluation/nearby-tracks.ts';
import { forgetQuiet } from './evaluation/quiet.ts';
import { receive, receiveFarAway } from './evaluation/receive.ts';
import { sweep, undoLosses } from './evaluation/silence.ts';
import { changedRows } from './evaluation/state-rows.ts';
import { forgetSuspended } from './evaluation/suspension.ts';
import { LATE_MS, SWEEP_MS, TRACK_KEPT_MS } from './evaluation/times.ts';
import type { Observation, StateRow, Transition, WatchedNote } from './evaluation/transition.ts';
import { extendWatch, removeProgress, type Stretch, watchOf, type ZoneState } from './evaluation/zone-state.ts';

export interface Evaluation {
  /** Changed in place. If rows can't be stored, load the state again. */
  readonly state: ZoneState;
  readonly transitions: readonly Transition[];
  /** Rows to store in the transaction of the transitions. Call it before the next evaluation. */
  readonly rows: () => readonly StateRow[];
  /** Rules that threw: others are not affected. */
  readonly failures: readonly RuleFailure[];
  /** The number of observations that are ignored, since they are not newer than the last of their track. */
  readonly late: number;
}

/**
 * Evaluates the rules of zones: which alarms open, change and end by the positions and the watched time. It takes
 * positions in any order. Observed time is the only clock, and repeated answers change nothing.
 */
export function evaluate(
  zones: CompiledZones,
  state: ZoneState,
  observations: readonly Observation[],
  watched: readonly WatchedNote[],
): Evaluation {
  return drained(evaluateInSteps(zones, state, observations, watched));
}

/** As `evaluate`. Between steps, of a position or the sweep of a zone, others may have a turn. */
export function* evaluateInSteps(
  zones: CompiledZones,
  state: ZoneState,
  observations: readonly Observation[],
  watched: readonly WatchedNote[],
): Generator<undefined, Evaluation> {
  const run: Run = {
    zones,
    state,
    transitions: [],
    changed: new Set(),
    tracks: [],
    watches: new Set(),
    failures: [],
    work: new Map(),
    late: 0,
  };
  if (state.zones !== zones) takeZones(run);
  const stretches = stretchesOf(run, watched);
  const ordered = inTimeOrder(receiveFarAway(run, observations));
  let next = 0;
  for (const atMs of sweepTimes(stretches)) {
    for (; next < ordered.length; next++) {
      const observation = ordered[next] as Observation;
      if (epochMs(observation.position.observedAt) > atMs) break;
      receive(run, observation);
      yield;
    }
    for (const stretch of stretches) {
      if (atMs <= stretch.fromMs || atMs > stretch.toMs) continue;
      sweep(run, stretch, atMs);
      yield;
    }
  }
  for (; next < ordered.length; next++) {
    receive(run, ordered[next] as Observation);
    yield;
  }
  forgetTracks(run);
  const { transitions, failures, late } = run;
  return { state, transitions, failures, rows: () => changedRows(run), late };
}

export function drained<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function takeZones(run: Run): void {
  const { state, zones, watches } = run;
  state.zones = zones;
  state.tally.setZones(Array.from(zones.zones.values(), ({ zone }) => zone));
  for (const failed of state.failed) if (zones.rules.get(failed.rule.id) !== failed) state.failed.delete(failed);
  for (const watch of state.watches.values()) {
    for (const progress of watch.progress) {
      if (zones.rules.get(progress.rule)?.print === progress.print) continue;
      emitFor(run, 'ended', progress, state.clockMs, {
        end: zones.zones.has(watch.zone) ? 'rule_changed' : 'zone_removed',
      });
      removeProgress(state, progress);
      run.changed.add(progress);
    }
    if (forgetSuspended(run, watch)) watches.add(watch);
    if (forgetQuiet(run, watch)) watches.add(watch);
    if (zones.zones.has(watch.zone)) continue;
    state.watches.delete(`${watch.zone}|${watch.layer}`);
    watches.add(watch);
  }
  if (!zones.hasPairs) state.nearby = undefined;
  else if (!state.nearby) {
    state.nearby = new NearbyTracks();
    for (const tracks of Object.values(state.tracks)) for (const track of tracks.values()) state.nearby.put(track);
  }
}

/** Time that no note covers was not watched. */
function stretchesOf(run: Run, watched: readonly WatchedNote[]): Stretch[] {
  const { zones, state, watches } = run;
  const stretches: Stretch[] = [];
  const late: Pick<Stretch, 'watch' | 'fromMs' | 'reason'>[] = [];
  for (const note of watched.toSorted(compareNotes)) {
    if (!zones.zones.has(note.zoneId)) continue;
    const watch = watchOf(state, note.zoneId, note.layer);
    const [fromMs, toMs, knownMs] = [epochMs(note.from), epochMs(note.to), watch.untilMs];
    if (note.state !== 'watched' && fromMs < knownMs) late.push({ watch, fromMs, reason: note.reason });
    if (toMs <= knownMs) {
      if (note.state === 'watched') continue;
      extendWatch(watch, fromMs, toMs, false);
      watches.add(watch);
      continue;
    }
    if (fromMs > knownMs) stretches.push({ watch, fromMs: knownMs, toMs: fromMs, isWatched: false, reason: 'stopped' });
    const isWatched = note.state === 'watched';
    stretches.push({ watch, fromMs: Math.max(fromMs, knownMs || fromMs), toMs, isWatched, reason: note.reason });
    extendWatch(watch, fromMs, toMs, isWatched);
    watches.add(watch);
    state.clockMs = Math.max(state.clockMs, toMs);
  }
  for (const { watch, fromMs, reason } of late) undoLosses(run, watch, fromMs, reason);
  return stretches;
}

/** No order of an answer changes the reason of an alarm: of notes that begin together, one that was not watched is first. */
function compareNotes(one: WatchedNote, next: WatchedNote): number {
  const byTime = compareInstants(one.from, next.from);
  if (byTime !== 0) return byTime;
  const [ofOne, ofNext] = [one, next].map(({ zoneId, layer, to, state, reason }) =>
    [zoneId, layer, state === 'watched', to, reason].join('|'),
  ) as [string, string];
  return ofOne < ofNext ? -1 : Number(ofOne > ofNext);
}

function* sweepTimes(stretches: readonly Stretch[]): Generator<number> {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { fromMs, toMs } of stretches) {
    firstMs = Math.min(firstMs, fromMs);
    lastMs = Math.max(lastMs, toMs);
  }
  if (firstMs >= lastMs) return;
  for (let atMs = (Math.floor(firstMs / SWEEP_MS) + 1) * SWEEP_MS; atMs <= lastMs; atMs += SWEEP_MS) yield atMs;
}

function forgetTracks({ state, tracks: changed }: Run): void {
  if (state.clockMs - state.clearedMs < TRACK_KEPT_MS) return;
  state.clearedMs = state.clockMs;
  for (const tracks of Object.values(state.tracks)) {
    for (const track of tracks.values()) {
      if (track.progress.size > 0 || state.clockMs - track.atMs <= TRACK_KEPT_MS + LATE_MS) continue;
      tracks.delete(track.ref);
      state.places.delete(track.slot);
      state.nearby?.delete(track);
      changed.push(track);
    }
  }
}

/** Sorts by observed time, then layer and reference. */
function inTimeOrder(observations: readonly Observation[]): readonly Observation[] {
  if (isOrdered(observations)) return observations;
  const ordered = byTime(observations);
  for (let from = 0; from < ordered.length; ) {
    let to = from + 1;
    while (to < ordered.length && timeOf(ordered[to]) === timeOf(ordered[from])) to++;
    if (to - from > 1) orderByName(ordered, from, to);
    from = to;
  }
  return ordered;
}

const DIGIT = 2 ** 16;

/** A stable radix sort, since an answer has 20,000 positions. */
function byTime(observations: readonly Observation[]): Observation[] {
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const observation of observations) {
    firstMs = Math.min(firstMs, timeOf(observation));
    lastMs = Math.max(lastMs, timeOf(observation));
  }
  let sorted = [...observations];
  for (let unit = 1; unit <= lastMs - firstMs; unit *= DIGIT) {
    const digitOf = (observation: Observation) => Math.floor((timeOf(observation) - firstMs) / unit) % DIGIT;
    const ends = new Uint32Array(DIGIT + 1);
    for (const observation of sorted) ends[digitOf(observation) + 1]!++;
    for (let digit = 1; digit <= DIGIT; digit++) (ends[digit] as number) += ends[digit - 1] as number;
    const next = new Array<Observation>(sorted.length);
    for (const observation of sorted) next[(ends[digitOf(observation)] as number)++] = observation;
    sorted = next;
  }
  return sorted;
}

/** Sorts only if needed: answers are mostly ordered by reference. */
function orderByName(observations: Observation[], from: number, to: number): void {
  for (let index = from + 1; index < to; index++) {
    if (byName(observations[index - 1] as Observation, observations[index] as Observation) <= 0) continue;
    const run = observations.slice(from, to).toSorted(byName);
    for (const [at, observation] of run.entries()) observations[from + at] = observation;
    return;
  }
}

function isOrdered(observations: readonly Observation[]): boolean {
  for (let index = 1; index < observations.length; index++) {
    const [one, next] = [observations[index - 1] as Observation, observations[index] as Observation];
    const ms = timeOf(next) - timeOf(one);
    if (ms < 0 || (ms === 0 && byName(one, next) > 0)) return false;
  }
  return true;
}

function byName(one: Observation, other: Observation): number {
  if (one.layer !== other.layer) return one.layer < other.layer ? -1 : 1;
  return one.position.ref < other.position.ref ? -1 : one.position.ref > other.position.ref ? 1 : 0;
}

function timeOf(observation: Observation | undefined): number {
  return observation ? epochMs(observation.position.observedAt) : Number.NaN;
}

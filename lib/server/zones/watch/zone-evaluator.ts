import 'server-only';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Evaluation, evaluateInSteps } from '#lib/zones/evaluate.ts';
import { evaluateGapInSteps, type Gap, type KnownAlarm } from '#lib/zones/evaluate-gap.ts';
import type { RuleFailure } from '#lib/zones/evaluation/alarms.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, StateRow, Transition, WatchedNote } from '#lib/zones/evaluation/transition.ts';
import { FlightSearch, type ReceivedFlight } from '#lib/zones/expected-flight.ts';
import { isReceptionReason, RECEPTION_NOTICED_MS, worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { LiveArea } from '../../live/snapshots.ts';
import { Yielding } from '../../work/yielding.ts';
import type { KeptState } from '../alarms/alarm-store.ts';
import type { CurrentZone } from '../current-zones.ts';
import type { OpenStretch } from './stretch-rows.ts';
import { type UnwatchedReason, WatchNotes, type WhyUnread } from './watch-notes.ts';

/** An event that the writer takes into account. */
export type WatchEvent =
  | {
      readonly kind: 'read';
      readonly area: LiveArea;
      readonly positions: ReadonlyMap<string, Position>;
      readonly readAt: UpstreamInstant;
      /** Why the service had more than it returned; `undefined` where it had not. */
      readonly incomplete: UnwatchedReason | undefined;
      readonly reception?: Reception | undefined;
    }
  | { readonly kind: 'passed'; readonly now: UpstreamInstant; readonly whyUnread: WhyUnread }
  | {
      readonly kind: 'gap';
      readonly gap: Gap;
      readonly observations: readonly Observation[];
      readonly known: readonly KnownAlarm[];
      /** The stretches that fill the gap. */
      readonly madeUp: readonly OpenStretch[];
    };

export interface Findings extends ChangedStretches {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  readonly failures: readonly RuleFailure[];
  /** Expected flights that were received now. */
  readonly received: readonly ReceivedFlight[];
}

/**
 * The evaluation of all zones with its state, in memory: takes what was read and what passed, and returns what to store.
 * It stores nothing, and knows no database.
 */
export class ZoneEvaluator {
  readonly #state: KeptState['state'];
  readonly #notes = new WatchNotes();
  readonly #unconfirmed = new UnconfirmedNotes();
  readonly #stretches: OpenStretches;
  readonly #flights = new FlightSearch();
  #zones = compileZones([]);
  #current: readonly CurrentZone[] | undefined;

  /** @param reason why nothing was read since */
  constructor({ state, latest }: KeptState, zones: readonly CurrentZone[], reason: UnwatchedReason) {
    this.#state = state;
    this.#notes.setZones(zones);
    this.#stretches = new OpenStretches(latest);
    for (const stretch of latest) {
      this.#notes.resume(stretch, reason);
      this.#resumeUnconfirmed(stretch);
    }
  }

  /** Evaluates an event, and gives way to other requests. Callers wait for it before they call it again. */
  async take(
    events: readonly WatchEvent[],
    zones: readonly CurrentZone[],
    yielding: Pick<Yielding, 'isDue' | 'next'> = new Yielding(),
  ): Promise<Findings> {
    const rows = new Map<string, StateRow>();
    const transitions: Transition[] = [];
    const failures: RuleFailure[] = [];
    const received: ReceivedFlight[] = [];
    const evaluated = async (steps: Generator<undefined, Evaluation>) => {
      let step = steps.next();
      for (; !step.done; step = steps.next()) if (yielding.isDue) await yielding.next();
      for (const transition of step.value.transitions) transitions.push(transition);
      for (const failure of step.value.failures) failures.push(failure);
      for (const row of step.value.rows()) rows.set(row.key, row);
    };
    if (zones !== this.#current) {
      this.#setZones(zones);
      await evaluated(evaluateInSteps(this.#zones, this.#state, [], []));
    }
    for (const event of events) {
      const observations = observationsOf(event);
      received.push(...this.#flights.receive(this.#zones, observations));
      if (event.kind === 'gap') {
        await evaluated(evaluateGapInSteps(this.#zones, this.#state, event.gap, observations, event.known));
        continue;
      }
      const notes =
        event.kind === 'read'
          ? this.#notes.read(event.area, event.readAt, event.incomplete, event.reception)
          : this.#notes.pass(event.now, event.whyUnread);
      for (const note of notes) this.#stretches.extend(note);
      const watched = this.#confirmed(event, notes);
      if (watched.length > 0 || observations.length > 0)
        await evaluated(evaluateInSteps(this.#zones, this.#state, observations, watched));
    }
    return { rows: [...rows.values()], transitions, failures, received, ...this.#stretches.take() };
  }

  #confirmed(event: Exclude<WatchEvent, { kind: 'gap' }>, notes: readonly WatchedNote[]): readonly WatchedNote[] {
    const [now, isReported] =
      event.kind === 'read' ? [event.readAt, event.reception !== undefined] : [event.now, false];
    const added = notes.flatMap((note) => this.#unconfirmed.add(note, isReported));
    return [...this.#unconfirmed.confirmed(now), ...added];
  }

  /** The evaluation before has not taken all that was stored as watched. */
  #resumeUnconfirmed({ fromMs, toMs, ...about }: OpenStretch): void {
    const { untilMs = Number.NaN } = this.#state.watches.get(`${about.zoneId}|${about.layer}`) ?? {};
    if (about.state !== 'watched' || !(untilMs < toMs)) return;
    const from = upstreamInstant(Math.max(fromMs, untilMs));
    this.#unconfirmed.add({ ...about, from, to: upstreamInstant(toMs) }, true);
  }

  #setZones(zones: readonly CurrentZone[]): void {
    this.#current = zones;
    this.#zones = compileZones(zones, this.#zones);
    this.#notes.setZones(zones);
  }
}

function observationsOf(event: WatchEvent): readonly Observation[] {
  if (event.kind !== 'read') return event.kind === 'gap' ? event.observations : [];
  const { layer } = event.area;
  return Array.from(event.positions.values(), (position) => ({ layer, position }));
}

/** A piece is small enough for a day's requests. */
const PIECE_MAX_MS = 10 * MINUTE_MS;

interface ChangedStretches {
  readonly stretches: readonly OpenStretch[];
  /** Stored stretches that were noted as better are wrong in these times. */
  readonly worsened: readonly OpenStretch[];
}

/** Joins notes to stretches, to store. */
class OpenStretches {
  /** The latest of each zone and layer. */
  readonly #open = new Map<string, OpenStretch>();
  /** Stretches that are not stored yet. */
  readonly #changed = new Map<string, OpenStretch[]>();
  #worsened: OpenStretch[] = [];

  constructor(latest: readonly OpenStretch[]) {
    for (const stretch of latest) this.#open.set(keyOf(stretch), stretch);
  }

  /** Extends a stretch, in pieces where history may have more. */
  extend({ from, to, ...about }: WatchedNote): void {
    const key = keyOf(about);
    const open = this.#open.get(key);
    if (open && epochMs(to) <= open.toMs) {
      this.#worsen(key, { ...about, fromMs: epochMs(from), toMs: epochMs(to) });
      return;
    }
    const isWhole = about.state === 'watched' || isReceptionReason(about.reason);
    const pieceMs = isWhole ? Number.POSITIVE_INFINITY : PIECE_MAX_MS;
    for (let atMs = epochMs(from); atMs < epochMs(to); ) {
      let last = this.#open.get(key);
      const goesOn = last?.toMs === atMs && last.state === about.state && last.reason === about.reason;
      if (!last || !goesOn || atMs - last.fromMs >= pieceMs) last = { ...about, fromMs: atMs, toMs: atMs };
      last.toMs = atMs = Math.min(epochMs(to), last.fromMs + pieceMs);
      this.#put(key, last);
    }
  }

  /** @returns what has changed since the last call */
  take(): ChangedStretches {
    const stretches = [...this.#changed.values()].flat();
    const worsened = this.#worsened;
    this.#changed.clear();
    this.#worsened = [];
    return { stretches, worsened };
  }

  #put(key: string, stretch: OpenStretch): void {
    this.#open.set(key, stretch);
    const changed = this.#changed.get(key);
    if (!changed) this.#changed.set(key, [stretch]);
    else if (!changed.includes(stretch)) changed.push(stretch);
  }

  #worsen(key: string, worse: OpenStretch): void {
    this.#worsened.push(worse);
    const changed = this.#changed.get(key) ?? [];
    const open = this.#open.get(key);
    const known = open && !changed.includes(open) ? [open, ...changed] : changed;
    const all = known.flatMap((stretch) => worsenedStretch(stretch, worse));
    const last = all.at(-1);
    if (last) this.#open.set(key, last);
    this.#changed.set(key, all);
  }
}

function keyOf({ zoneId, layer }: Pick<OpenStretch, 'zoneId' | 'layer'>): string {
  return `${zoneId} ${layer}`;
}

/**
 * Watched time that the evaluation must not take yet: a receiver that fell silent in it may still be reported. So
 * silence ends no alarm, and opens none, before its receivers are known to have been there.
 */
class UnconfirmedNotes {
  /** The notes by zone and layer, in order of time. */
  readonly #held = new Map<string, WatchedNote[]>();

  /** @param isReported whether the upstream reports its receivers @returns what can be evaluated, in order */
  add(note: WatchedNote, isReported: boolean): readonly WatchedNote[] {
    const key = `${note.zoneId} ${note.layer}`;
    const held = this.#held.get(key) ?? [];
    if (note.state === 'watched' && isReported) {
      this.#held.set(key, [...held, note]);
      return [];
    }
    this.#held.delete(key);
    return [...held.flatMap((each) => endedBy(each, note.from)), note];
  }

  /** @returns what can be evaluated by now */
  confirmed(now: UpstreamInstant): readonly WatchedNote[] {
    const confirmedMs = epochMs(now) - RECEPTION_NOTICED_MS;
    const all: WatchedNote[] = [];
    for (const [key, held] of this.#held) {
      const count = held.filter(({ to }) => epochMs(to) <= confirmedMs).length;
      if (count === 0) continue;
      all.push(...held.slice(0, count));
      if (count === held.length) this.#held.delete(key);
      else this.#held.set(key, held.slice(count));
    }
    return all;
  }
}

function endedBy(note: WatchedNote, end: UpstreamInstant): readonly WatchedNote[] {
  const to = upstreamInstant(Math.min(epochMs(note.to), epochMs(end)));
  return note.from < to ? [{ ...note, to }] : [];
}

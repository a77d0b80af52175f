import 'server-only';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type Evaluation, evaluateInSteps } from '#lib/zones/evaluate.ts';
import { evaluateGapInSteps, type Gap, type KnownAlarm } from '#lib/zones/evaluate-gap.ts';
import type { RuleFailure } from '#lib/zones/evaluation/alarms.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, StateRow, Transition, WatchedNote } from '#lib/zones/evaluation/transition.ts';
import type { Area } from '../../live/snapshots.ts';
import { Turns } from '../../work/turns.ts';
import type { KeptState, OpenStretch } from '../alarms/alarm-store.ts';
import type { CurrentZone } from '../current-zones.ts';
import { type ChangedStretches, OpenStretches } from './open-stretches.ts';
import { UnconfirmedNotes } from './unconfirmed-notes.ts';
import { type UnwatchedReason, WatchNotes, type WhyUnread } from './watch-notes.ts';

export type Heard =
  | {
      readonly kind: 'read';
      readonly area: Area;
      readonly positions: ReadonlyMap<string, Position>;
      readonly readAt: UpstreamInstant;
      /** Why the service had more. */
      readonly incomplete: UnwatchedReason | undefined;
      readonly reception?: Reception | undefined;
    }
  | { readonly kind: 'passed'; readonly now: UpstreamInstant; readonly whyUnread: WhyUnread }
  | {
      readonly kind: 'gap';
      readonly gap: Gap;
      readonly observations: readonly Observation[];
      readonly known: readonly KnownAlarm[];
      /** Fill the gap. */
      readonly madeUp: readonly OpenStretch[];
    };

export interface Findings extends ChangedStretches {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  readonly failures: readonly RuleFailure[];
}

export class ZoneEvaluator {
  readonly #state: KeptState['state'];
  readonly #notes = new WatchNotes();
  readonly #unconfirmed = new UnconfirmedNotes();
  readonly #stretches: OpenStretches;
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

  /** Gives way to other requests. Callers wait for it before they call it again. */
  async hear(
    events: readonly Heard[],
    zones: readonly CurrentZone[],
    turns: Pick<Turns, 'isDue' | 'next'> = new Turns(),
  ): Promise<Findings> {
    const rows = new Map<string, StateRow>();
    const transitions: Transition[] = [];
    const failures: RuleFailure[] = [];
    const take = async (steps: Generator<undefined, Evaluation>) => {
      let step = steps.next();
      for (; !step.done; step = steps.next()) if (turns.isDue) await turns.next();
      for (const transition of step.value.transitions) transitions.push(transition);
      for (const failure of step.value.failures) failures.push(failure);
      for (const row of step.value.rows()) rows.set(row.key, row);
    };
    if (zones !== this.#current) {
      this.#setZones(zones);
      await take(evaluateInSteps(this.#zones, this.#state, [], []));
    }
    for (const event of events) {
      if (event.kind === 'gap') {
        await take(evaluateGapInSteps(this.#zones, this.#state, event.gap, event.observations, event.known));
        continue;
      }
      const notes =
        event.kind === 'read'
          ? this.#notes.read(event.area, event.readAt, event.incomplete, event.reception)
          : this.#notes.pass(event.now, event.whyUnread);
      for (const note of notes) this.#stretches.extend(note);
      const watched = this.#confirmed(event, notes);
      const observations = event.kind === 'read' ? observationsOf(event.area.layer, event.positions) : [];
      if (watched.length > 0 || observations.length > 0)
        await take(evaluateInSteps(this.#zones, this.#state, observations, watched));
    }
    return { rows: [...rows.values()], transitions, failures, ...this.#stretches.take() };
  }

  #confirmed(event: Exclude<Heard, { kind: 'gap' }>, notes: readonly WatchedNote[]): readonly WatchedNote[] {
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

function observationsOf(layer: Layer, positions: ReadonlyMap<string, Position>): readonly Observation[] {
  return Array.from(positions.values(), (position) => ({ layer, position }));
}

import 'server-only';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Evaluation, evaluateInSteps } from '#lib/zones/evaluate.ts';
import { evaluateGapInSteps, type Gap, type KnownAlarm } from '#lib/zones/evaluate-gap.ts';
import type { RuleFailure } from '#lib/zones/evaluation/alarms.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, StateRow, Transition, WatchedNote } from '#lib/zones/evaluation/transition.ts';
import type { Area } from '../../live/snapshots.ts';
import { Turns } from '../../work/turns.ts';
import type { KeptState, OpenStretch } from '../alarms/alarm-store.ts';
import type { CurrentZone } from '../current-zones.ts';
import { type UnwatchedReason, WatchNotes, type WhyUnread } from './watch-notes.ts';

/** Small enough for a day's requests. */
const PIECE_MAX_MS = 10 * MINUTE_MS;

export type Heard =
  | {
      readonly kind: 'read';
      readonly area: Area;
      readonly positions: ReadonlyMap<string, Position>;
      readonly readAt: UpstreamInstant;
      /** Why the service had more. */
      readonly incomplete: UnwatchedReason | undefined;
    }
  | { readonly kind: 'passed'; readonly now: UpstreamInstant; readonly whyUnread: WhyUnread }
  | {
      readonly kind: 'gap';
      readonly gap: Gap;
      readonly observations: readonly Observation[];
      readonly known: readonly KnownAlarm[];
      readonly madeUp: OpenStretch;
    };

export interface Findings {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  readonly stretches: readonly OpenStretch[];
  readonly failures: readonly RuleFailure[];
}

export class ZoneEvaluator {
  readonly #state: KeptState['state'];
  readonly #notes = new WatchNotes();
  readonly #open = new Map<string, OpenStretch>();
  #zones = compileZones([]);
  #current: readonly CurrentZone[] | undefined;

  /** @param reason why nothing was read since */
  constructor({ state, latest }: KeptState, zones: readonly CurrentZone[], reason: UnwatchedReason) {
    this.#state = state;
    this.#notes.setZones(zones);
    for (const stretch of latest) {
      this.#open.set(keyOf(stretch), stretch);
      this.#notes.resume(stretch.zoneId, stretch.layer, stretch.toMs, reason);
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
    const stretches = new Set<OpenStretch>();
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
          ? this.#notes.read(event.area, event.readAt, event.incomplete)
          : this.#notes.pass(event.now, event.whyUnread);
      for (const stretch of notes.flatMap((note) => this.#extended(note))) stretches.add(stretch);
      const observations = event.kind === 'read' ? observationsOf(event.area.layer, event.positions) : [];
      if (notes.length > 0 || observations.length > 0)
        await take(evaluateInSteps(this.#zones, this.#state, observations, notes));
    }
    return { rows: [...rows.values()], transitions, stretches: [...stretches], failures };
  }

  #setZones(zones: readonly CurrentZone[]): void {
    this.#current = zones;
    this.#zones = compileZones(zones, this.#zones);
    this.#notes.setZones(zones);
  }

  /** In pieces where not fully watched, for history. */
  #extended({ from, to, ...note }: WatchedNote): readonly OpenStretch[] {
    const key = keyOf(note);
    const pieceMs = note.state === 'watched' ? Number.POSITIVE_INFINITY : PIECE_MAX_MS;
    const extended: OpenStretch[] = [];
    for (let atMs = epochMs(from); atMs < epochMs(to); ) {
      let open = this.#open.get(key);
      const goesOn = open?.toMs === atMs && open.state === note.state && open.reason === note.reason;
      if (!open || !goesOn || atMs - open.fromMs >= pieceMs) open = { ...note, fromMs: atMs, toMs: atMs };
      open.toMs = atMs = Math.min(epochMs(to), open.fromMs + pieceMs);
      this.#open.set(key, open);
      extended.push(open);
    }
    return extended;
  }
}

function keyOf({ zoneId, layer }: Pick<OpenStretch, 'zoneId' | 'layer'>): string {
  return `${zoneId} ${layer}`;
}

function observationsOf(layer: Layer, positions: ReadonlyMap<string, Position>): readonly Observation[] {
  return Array.from(positions.values(), (position) => ({ layer, position }));
}

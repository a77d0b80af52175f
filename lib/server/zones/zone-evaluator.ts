import 'server-only';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Evaluation, evaluate, evaluateGap, type Gap } from '#lib/zones/evaluate.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, StateRow, Transition, WatchedNote } from '#lib/zones/evaluation/transition.ts';
import type { Area } from '../live/snapshots.ts';
import type { KeptState, OpenStretch } from './alarm-store.ts';
import type { CurrentZone } from './current-zones.ts';
import { type UnwatchedReason, WatchNotes, type WhyUnread } from './watch-notes.ts';

/** What the evaluation hears of, in order. */
export type Heard =
  | {
      readonly kind: 'read';
      readonly area: Area;
      readonly positions: ReadonlyMap<string, Position>;
      readonly readAt: UpstreamInstant;
      /** Why it is not everything that the service had. */
      readonly incomplete: UnwatchedReason | undefined;
    }
  | { readonly kind: 'passed'; readonly now: UpstreamInstant; readonly whyUnread: WhyUnread }
  | {
      /** A stretch that was not watched has been read from history. */
      readonly kind: 'gap';
      readonly gap: Gap;
      readonly observations: readonly Observation[];
      /** The stretch as it is now known. */
      readonly madeUp: OpenStretch;
    };

/** What several events led to. */
export interface Findings {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  readonly stretches: readonly OpenStretch[];
}

/** The state of all zones in memory, from what is stored up to what was heard last. */
export class ZoneEvaluator {
  readonly #state: KeptState['state'];
  readonly #notes = new WatchNotes();
  readonly #open = new Map<string, OpenStretch>();
  #zones = compileZones([]);
  #current: readonly CurrentZone[] | undefined;

  /** @param reason why nothing was read since the state was stored */
  constructor({ state, latest }: KeptState, zones: readonly CurrentZone[], reason: UnwatchedReason) {
    this.#state = state;
    this.#notes.setZones(zones);
    for (const stretch of latest) {
      this.#open.set(keyOf(stretch), stretch);
      this.#notes.resume(stretch.zoneId, stretch.layer, stretch.toMs, reason);
    }
  }

  /** Evaluates with the zones as they are from now on. */
  hear(events: readonly Heard[], zones: readonly CurrentZone[]): Findings {
    const found: Evaluation[] = [];
    const stretches = new Set<OpenStretch>();
    if (zones !== this.#current) {
      this.#setZones(zones);
      found.push(evaluate(this.#zones, this.#state, [], []));
    }
    for (const event of events) {
      if (event.kind === 'gap') {
        found.push(evaluateGap(this.#zones, this.#state, event.gap, event.observations));
        continue;
      }
      const notes = this.#notesOf(event);
      for (const note of notes) stretches.add(this.#extended(note));
      const observations = event.kind === 'read' ? observationsOf(event.area.layer, event.positions) : [];
      if (notes.length > 0 || observations.length > 0)
        found.push(evaluate(this.#zones, this.#state, observations, notes));
    }
    const rows = new Map(found.flatMap((each) => each.rows.map((row) => [row.key, row] as const)));
    return {
      rows: [...rows.values()],
      transitions: found.flatMap(({ transitions }) => transitions),
      stretches: [...stretches],
    };
  }

  #notesOf(event: Exclude<Heard, { kind: 'gap' }>): readonly WatchedNote[] {
    if (event.kind === 'read') return this.#notes.read(event.area, event.readAt, event.incomplete);
    return this.#notes.pass(event.now, event.whyUnread, () => true);
  }

  #setZones(zones: readonly CurrentZone[]): void {
    this.#current = zones;
    this.#zones = compileZones(zones);
    this.#notes.setZones(zones);
  }

  /** The stretch that the note belongs to. */
  #extended({ from, to, ...note }: WatchedNote): OpenStretch {
    const key = keyOf(note);
    const [fromMs, toMs] = [epochMs(from), epochMs(to)];
    const open = this.#open.get(key);
    if (open?.toMs === fromMs && open.state === note.state && open.reason === note.reason) {
      open.toMs = toMs;
      return open;
    }
    const next = { ...note, fromMs, toMs };
    this.#open.set(key, next);
    return next;
  }
}

function keyOf({ zoneId, layer }: Pick<OpenStretch, 'zoneId' | 'layer'>): string {
  return `${zoneId} ${layer}`;
}

function observationsOf(layer: Layer, positions: ReadonlyMap<string, Position>): readonly Observation[] {
  return Array.from(positions.values(), (position) => ({ layer, position }));
}

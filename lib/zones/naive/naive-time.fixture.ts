import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { SWEEP_MS } from '../evaluation/times.ts';
import type { Observation, Transition, WatchedNote } from '../evaluation/transition.ts';

export type NaiveTransition = Pick<
  Transition,
  'type' | 'key' | 'kind' | 'end' | 'count' | 'expected' | 'perhapsSameAs'
> & { atMs: number };

export interface NaiveCall {
  readonly observations: readonly Observation[];
  readonly watched: readonly WatchedNote[];
}

export type NaiveEvent =
  | { readonly kind: 'position'; readonly layer: Layer; readonly position: Position }
  | {
      readonly kind: 'sweep';
      readonly zone: string;
      readonly layer: Layer;
      readonly atMs: number;
      readonly call: number;
    }
  /** Known time since then turned out not to have been watched. */
  | {
      readonly kind: 'late';
      readonly zone: string;
      readonly layer: Layer;
      readonly fromMs: number;
      readonly call: number;
    };

interface Known {
  readonly zone: string;
  readonly layer: Layer;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isWatched: boolean;
  readonly call: number;
}

export class NaiveTime {
  readonly events: NaiveEvent[] = [];
  /** The known time by zone and layer. */
  readonly #known = new Map<string, Known[]>();
  /** Known time that turned out not to have been watched. */
  readonly #late = new Map<string, Known[]>();

  constructor(calls: readonly NaiveCall[], zones: ReadonlySet<string>) {
    const lastMs = new Map<string, number>();
    for (const [call, { observations, watched }] of calls.entries()) {
      const notes = watched.filter(({ zoneId }) => zones.has(zoneId));
      const fresh = this.#addNotes(notes, call);
      const times = [...new Set(fresh.flatMap(multiples))].toSorted((one, next) => one - next);
      const queue = observations.toSorted(
        (one, next) =>
          timeOf(one) - timeOf(next) || (nameOf(one) < nameOf(next) ? -1 : nameOf(one) > nameOf(next) ? 1 : 0),
      );
      const receive = (untilMs: number) => {
        while (queue[0] && timeOf(queue[0]) <= untilMs) {
          const observation = queue.shift() as Observation;
          if (timeOf(observation) <= (lastMs.get(nameOf(observation)) ?? Number.NEGATIVE_INFINITY)) continue;
          lastMs.set(nameOf(observation), timeOf(observation));
          this.events.push({ kind: 'position', ...observation });
        }
      };
      for (const atMs of times) {
        receive(atMs);
        for (const { zone, layer, fromMs, toMs } of fresh) {
          if (atMs > fromMs && atMs <= toMs) this.events.push({ kind: 'sweep', zone, layer, atMs, call });
        }
      }
      receive(Number.POSITIVE_INFINITY);
    }
  }

  watchedMs(zone: string, layer: Layer, call: number, fromMs: number, toMs: number): number {
    return this.#of(zone, layer, call)
      .filter(({ isWatched }) => isWatched)
      .reduce((sum, one) => sum + Math.max(0, Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs)), 0);
  }

  unwatchedSince(zone: string, layer: Layer, call: number, atMs: number): number | undefined {
    let since: number | undefined = 0;
    for (const one of this.#of(zone, layer, call)) {
      if (one.fromMs >= atMs) break;
      since = one.isWatched ? undefined : (since ?? one.fromMs);
      if (one.toMs >= atMs) break;
    }
    return since;
  }

  #of(zone: string, layer: Layer, call: number): Known[] {
    const until = (all: Known[] = []) => all.filter((one) => one.call <= call);
    return until(this.#late.get(`${zone}|${layer}`)).reduce(
      (all, late) => all.flatMap((one) => withLate(one, late)),
      until(this.#known.get(`${zone}|${layer}`)),
    );
  }

  #addNotes(notes: readonly WatchedNote[], call: number): Known[] {
    const fresh: Known[] = [];
    for (const note of notes.toSorted((one, next) => epochMs(one.from) - epochMs(next.from))) {
      const about = { zone: note.zoneId, layer: note.layer, call };
      const known = this.#known.get(`${note.zoneId}|${note.layer}`) ?? [];
      this.#known.set(`${note.zoneId}|${note.layer}`, known);
      const before = known.at(-1);
      const [fromMs, toMs] = [epochMs(note.from), epochMs(note.to)];
      const untilMs = before?.toMs ?? fromMs;
      if (note.state !== 'watched' && fromMs < untilMs) {
        const late = this.#late.get(`${note.zoneId}|${note.layer}`) ?? [];
        this.#late.set(`${note.zoneId}|${note.layer}`, [...late, { ...about, fromMs, toMs, isWatched: false }]);
        this.events.push({ kind: 'late', zone: note.zoneId, layer: note.layer, fromMs, call });
      }
      if (toMs <= untilMs) continue;
      const added: Known[] = [];
      if (fromMs > untilMs) added.push({ ...about, fromMs: untilMs, toMs: fromMs, isWatched: false });
      added.push({ ...about, fromMs: Math.max(fromMs, untilMs), toMs, isWatched: note.state === 'watched' });
      known.push(...added);
      fresh.push(...added);
    }
    return fresh;
  }
}

function withLate(one: Known, late: Known): Known[] {
  const [startMs, endMs] = [Math.max(one.fromMs, late.fromMs), Math.min(one.toMs, late.toMs)];
  if (startMs >= endMs) return [one];
  return [
    { ...one, toMs: startMs },
    { ...one, fromMs: startMs, toMs: endMs, isWatched: false },
    { ...one, fromMs: endMs },
  ].filter(({ fromMs, toMs }) => fromMs < toMs);
}

function multiples({ fromMs, toMs }: Known): number[] {
  const times: number[] = [];
  for (let atMs = Math.ceil(fromMs / SWEEP_MS) * SWEEP_MS; atMs <= toMs; atMs += SWEEP_MS)
    if (atMs > fromMs) times.push(atMs);
  return times;
}

function timeOf({ position }: Observation): number {
  return epochMs(position.observedAt);
}

function nameOf({ layer, position }: Observation): string {
  return `${layer}|${position.ref}`;
}

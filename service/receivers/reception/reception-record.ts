import { z } from 'zod';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { RECEPTION_STRETCHES_MAX, type ReceptionState } from '#lib/contract/reception.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { DayFiles, valuesOfDay } from '../../past/files/day-files.ts';
import type { ReceptionSpan } from '../../sources/observation.ts';
import { DAYS_KEPT, dayStartMs } from '../stations/station-tally.ts';

export interface ReceptionSample {
  readonly id: string;
  readonly layers: readonly Layer[];
  readonly isReceiving: boolean;
  /** The wall clock's time when a receiving feed was back, or when the last message of another arrived. */
  readonly sinceMs: number;
  /** When the loss began that ended at `sinceMs`. */
  readonly lostMs?: number | undefined;
  /** It receives, and hears far less of aircraft than usual. */
  readonly isDeaf?: boolean;
}

export interface SampledAt {
  readonly wallMs: number;
  /** A clock that stops while the machine sleeps, and is never set. */
  readonly steadyMs: number;
  /** A clock that does not stop. Default: the steady clock. */
  readonly uptimeMs?: number | undefined;
}

interface Counted {
  readonly counts: (ids: readonly string[]) => ReadonlySet<string>;
  /** The oldest recorded position, undefined if there is none. */
  readonly oldestRecordedMs: number | undefined;
}

/** A half-open time, in ms since 1970, in which a feed received or did not. */
interface Run {
  fromMs: number;
  toMs: number;
  isReceiving: boolean;
  isDeaf: boolean;
}

interface FeedDay {
  layers: readonly Layer[];
  /** Runs are in the order of recording. After a clock was set back, it differs from that of their times. */
  readonly runs: Run[];
}

type ReceptionDay = Map<string, FeedDay>;

const RECEPTION_VERSION = 2;
/** It has no deaf receivers. */
const OLDEST_VERSION = 1;
/** A feed has at most so many runs a day, one in 90 s. */
const RUNS_MAX = 1000;
/** A hundred feeds that each come and go all day. */
const FILE_MAX_BYTES = 4 * 1024 * 1024;
/** A larger difference between the clocks is a step of the wall clock. */
const STEP_MS = 2 * SECOND_MS;
/** A killed service has stored up to this long before. */
const STORED_EVERY_MS = MINUTE_MS;

/** When each feed received, for 31 days, in memory and in files of a day. */
export class ReceptionRecord {
  readonly #files: DayFiles<ReceptionDay> | undefined;
  readonly #days: Map<number, ReceptionDay>;
  #feeds: ReadonlyMap<string, ReceptionSample> = new Map();
  #last: SampledAt | undefined;

  readonly #unread: readonly number[];

  private constructor(
    files?: DayFiles<ReceptionDay>,
    days: Map<number, ReceptionDay> = new Map(),
    unread: readonly number[] = [],
  ) {
    this.#files = files;
    this.#days = days;
    this.#unread = unread;
  }

  static inMemory(): ReceptionRecord {
    return new ReceptionRecord();
  }

  /** Never rejects: the times of unreadable days are not known. */
  static async open(folder: string, log: (entry: string) => void): Promise<ReceptionRecord> {
    const { files, days, unread } = await DayFiles.open({
      folder,
      name: 'reception',
      content: 'times of reception',
      version: RECEPTION_VERSION,
      oldestVersion: OLDEST_VERSION,
      encode: encodeReceptionDay,
      decode: decodeReceptionDay,
      fileMaxBytes: FILE_MAX_BYTES,
      daysKept: DAYS_KEPT,
      log,
    });
    return new ReceptionRecord(files, days, unread);
  }

  /** Call it about once a second. The first call records the time since the last service ended as lost. */
  sample(at: SampledAt, feeds: readonly ReceptionSample[]): void {
    const { wallMs } = at;
    const last = this.#last ?? at;
    if (!this.#last) this.#recordStop(wallMs);
    const passedMs = at.steadyMs - last.steadyMs;
    const sleptMs = Math.max(0, (at.uptimeMs ?? 0) - (last.uptimeMs ?? 0) - passedMs);
    const isStep = Math.abs(wallMs - last.wallMs - passedMs) > STEP_MS;
    // A machine that slept received nothing, as a service that was stopped.
    if (isStep && sleptMs > STEP_MS) this.#recordStop(wallMs);
    // Nothing is known of the time that a clock skipped.
    const knownMs = isStep ? wallMs : last.wallMs;
    for (const feed of feeds) {
      const before = this.#feeds.get(feed.id);
      const fromMs = before ? knownMs : wallMs;
      const changedMs = Math.min(Math.max(feed.sinceMs, fromMs), wallMs);
      if (feed.isReceiving && before && !before.isReceiving) {
        this.#put(feed, fromMs, changedMs, false);
        this.#put(feed, changedMs, wallMs, true);
      } else if (!feed.isReceiving && before?.isReceiving !== false) {
        // The last message of the feed came before its silence was noticed.
        const lostMs = Math.min(feed.sinceMs, wallMs);
        this.#put(feed, fromMs, lostMs, true);
        this.#retract(feed.id, lostMs, wallMs);
        this.#put(feed, lostMs, isStep ? Math.max(lostMs, Math.min(last.wallMs, wallMs)) : wallMs, false);
      } else if (before && !isStep && feed.lostMs !== undefined && feed.sinceMs > fromMs) {
        // It was lost and back since the last sample, and silent for longer.
        const lostMs = Math.min(feed.lostMs, changedMs);
        this.#put(feed, fromMs, lostMs, true);
        this.#retract(feed.id, lostMs, wallMs);
        this.#put(feed, lostMs, changedMs, false);
        this.#put(feed, changedMs, wallMs, true);
      } else this.#put(feed, fromMs, wallMs, feed.isReceiving);
    }
    this.#feeds = new Map(feeds.map((feed) => [feed.id, feed]));
    this.#last = at;
  }

  /** Never rejects. */
  flush(): Promise<void> {
    return this.#files?.flush(this.#days) ?? Promise.resolve();
  }

  /**
   * The stretches of reception by feeds that could deliver the layer and for which `counts` holds. Where recorded
   * passes of a clock that was set back overlap, the worse counts. Before the first feed there was none, unless
   * positions of that time are recorded.
   */
  stretches(layer: Layer, { start, end }: Window, { counts, oldestRecordedMs }: Counted) {
    const runs = this.#runsWithin(epochMs(start), epochMs(end));
    const able = new Set(runs.filter(({ layers }) => layers.includes(layer)).map(({ id }) => id));
    const noneUntilMs = Math.min(this.#firstFeedMs(), oldestRecordedMs ?? Number.POSITIVE_INFINITY, epochMs(end));
    const before: StateRun = { fromMs: epochMs(start), toMs: noneUntilMs, state: 'none' };
    const states = statesOf(layer, runs, counts([...able]), before.fromMs < before.toMs ? [before] : []);
    return boundedStretches(states).map(
      ({ fromMs, toMs, state }): ReceptionSpan => ({
        from: upstreamInstant(fromMs),
        to: upstreamInstant(toMs),
        state,
      }),
    );
  }

  /** The time of the first record; −∞ if nothing is recorded, days of it are missing, or a clock was set back. */
  #firstFeedMs(): number {
    const unknown = Number.NEGATIVE_INFINITY;
    if (this.#unread.length > 0 || this.#days.size === 0 || this.#days.size >= DAYS_KEPT) return unknown;
    let [firstMs, recordedFirstMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { runs } of this.#days.get(Math.min(...this.#days.keys()))?.values() ?? []) {
      recordedFirstMs = Math.min(recordedFirstMs, runs[0]?.fromMs ?? firstMs);
      for (const { fromMs } of runs) firstMs = Math.min(firstMs, fromMs);
    }
    return firstMs === recordedFirstMs ? firstMs : unknown;
  }

  #runsWithin(startMs: number, endMs: number): FeedRun[] {
    const found: FeedRun[] = [];
    for (let dayMs = dayStartMs(startMs); dayMs < endMs; dayMs += DAY_MS) {
      for (const [id, { layers, runs }] of this.#days.get(dayMs) ?? []) {
        for (const { fromMs, toMs, ...run } of runs) {
          const [from, to] = [Math.max(fromMs, startMs), Math.min(toMs, endMs)];
          if (from < to) found.push({ id, layers, ...run, fromMs: from, toMs: to });
        }
      }
    }
    return found;
  }

  /** While no service ran or the machine slept, nothing was received. Of an unread day, nothing is known. */
  #recordStop(wallMs: number): void {
    const ends = new Map<string, { readonly toMs: number; readonly layers: readonly Layer[] }>();
    for (const day of this.#days.values()) {
      for (const [id, { layers, runs }] of day) {
        for (const { toMs } of runs) {
          if (toMs <= wallMs && toMs > (ends.get(id)?.toMs ?? Number.NEGATIVE_INFINITY)) ends.set(id, { toMs, layers });
        }
      }
    }
    const endMs = Math.max(...[...ends.values()].map(({ toMs }) => toMs));
    const knownMs = Math.max(wallMs - DAYS_KEPT * DAY_MS, ...this.#unread.map((dayMs) => dayMs + DAY_MS));
    for (const [id, { toMs, layers }] of ends) {
      if (endMs - toMs <= STORED_EVERY_MS) this.#put({ id, layers }, Math.max(toMs, knownMs), wallMs, false);
    }
  }

  #put(
    feed: Pick<ReceptionSample, 'id' | 'layers' | 'isDeaf'>,
    fromMs: number,
    toMs: number,
    isReceiving: boolean,
  ): void {
    const isDeaf = isReceiving && feed.isDeaf === true;
    for (let from = fromMs; from < toMs; ) {
      const dayMs = dayStartMs(from);
      const to = Math.min(toMs, dayMs + DAY_MS);
      const feedDay = this.#feedDay(dayMs, feed.id, feed.layers);
      const run = feedDay.runs.at(-1);
      if (run?.toMs === from && run.isReceiving === isReceiving && run.isDeaf === isDeaf) run.toMs = to;
      else feedDay.runs.push({ fromMs: from, toMs: to, isReceiving, isDeaf });
      if (feedDay.runs.length > RUNS_MAX) mergeShortest(feedDay.runs);
      this.#files?.changed(dayMs);
      from = to;
    }
  }

  #feedDay(dayMs: number, id: string, layers: readonly Layer[]): FeedDay {
    const day = valuesOfDay(this.#days, dayMs, DAYS_KEPT);
    let feedDay = day.get(id);
    if (!feedDay) {
      feedDay = { layers, runs: [] };
      day.set(id, feedDay);
    }
    feedDay.layers = layers;
    return feedDay;
  }

  /** Drops the reception that was recorded since then. */
  #retract(id: string, sinceMs: number, untilMs: number): void {
    for (let dayMs = dayStartMs(sinceMs); dayMs <= untilMs; dayMs += DAY_MS) {
      const runs = this.#days.get(dayMs)?.get(id)?.runs;
      if (!runs) continue;
      for (const run of runs) if (run.isReceiving) run.toMs = Math.min(run.toMs, Math.max(run.fromMs, sinceMs));
      runs.splice(0, runs.length, ...runs.filter(({ fromMs, toMs }) => fromMs < toMs));
      this.#files?.changed(dayMs);
    }
  }
}

interface FeedRun extends Readonly<Run> {
  readonly id: string;
  readonly layers: readonly Layer[];
}

export interface StateRun {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: ReceptionState;
}

/** The states of the counted feeds whenever anything is recorded, in order, after `before`. */
function statesOf(
  layer: Layer,
  runs: readonly FeedRun[],
  counted: ReadonlySet<string>,
  before: readonly StateRun[],
): StateRun[] {
  const events = runs
    .flatMap((run) => [
      { atMs: run.fromMs, by: 1, run },
      { atMs: run.toMs, by: -1, run },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const able = new Map<string, number>();
  const lost = new Map<string, number>();
  const deaf = new Map<string, number>();
  let recorded = 0;
  const states = [...before];
  let fromMs = 0;
  for (const { atMs, by, run } of events) {
    if (atMs > fromMs && recorded > 0)
      addState(states, { fromMs, toMs: atMs, state: stateOf(able.size, lost.size, deaf.size) });
    fromMs = atMs;
    recorded += by;
    if (!counted.has(run.id)) continue;
    count(able, run.id, by);
    if (!run.isReceiving) count(lost, run.id, by);
    if (isDeafFor(layer, run)) count(deaf, run.id, by);
  }
  return states;
}

function count(counts: Map<string, number>, id: string, by: number): void {
  const next = (counts.get(id) ?? 0) + by;
  if (next === 0) counts.delete(id);
  else counts.set(id, next);
}

/** Aircraft alone show that a receiver is deaf. Drones have another antenna. */
export function isDeafFor(layer: Layer, { isDeaf }: { readonly isDeaf?: boolean }): boolean {
  return layer === 'adsb' && isDeaf === true;
}

export function stateOf(receivers: number, missing: number, deaf: number): ReceptionState {
  if (receivers === 0) return 'none';
  if (missing === 0) return deaf === 0 ? 'ok' : 'partly';
  return missing < receivers ? 'partly' : 'lost';
}

function addState(states: StateRun[], next: StateRun): void {
  const last = states.at(-1);
  if (last?.toMs === next.fromMs && last.state === next.state) states[states.length - 1] = { ...last, toMs: next.toMs };
  else states.push(next);
}

const WORST_LAST: readonly ReceptionState[] = ['ok', 'partly', 'none', 'lost'];

function worse(one: ReceptionState, other: ReceptionState): ReceptionState {
  return WORST_LAST.indexOf(one) > WORST_LAST.indexOf(other) ? one : other;
}

/** Short stretches take the state of a worse neighbour, until the list fits into an answer. */
export function boundedStretches(states: readonly StateRun[], max = RECEPTION_STRETCHES_MAX): readonly StateRun[] {
  let bounded = states;
  for (let shortMs = SECOND_MS; bounded.length > max; shortMs *= 2) {
    const merged: StateRun[] = [];
    for (const next of bounded) {
      const last = merged.at(-1);
      const better = last && (worse(last.state, next.state) === last.state ? next : last);
      if (last && better && better.toMs - better.fromMs < shortMs) {
        merged[merged.length - 1] = { fromMs: last.fromMs, toMs: next.toMs, state: worse(last.state, next.state) };
      } else addState(merged, next);
    }
    bounded = merged;
  }
  return bounded;
}

function mergeShortest(runs: Run[]): void {
  let shortest = 1;
  const lengthMs = (index: number) => runs[index]!.toMs - runs[index - 1]!.fromMs;
  for (let index = 2; index < runs.length; index += 1) if (lengthMs(index) < lengthMs(shortest)) shortest = index;
  const [one, next] = [runs[shortest - 1]!, runs[shortest]!];
  runs.splice(shortest - 1, 2, {
    fromMs: Math.min(one.fromMs, next.fromMs),
    toMs: Math.max(one.toMs, next.toMs),
    isReceiving: one.isReceiving && next.isReceiving,
    isDeaf: one.isReceiving && next.isReceiving && (one.isDeaf || next.isDeaf),
  });
}

const NOTHING = 0;
const RECEIVING = 1;
const DEAF = 2;

const dayMs = z.int().min(0).max(DAY_MS);
const daySchema = z.strictObject({
  version: z.literal([OLDEST_VERSION, RECEPTION_VERSION]),
  day: z.int(),
  feeds: z.array(
    z.tuple([
      z.string(),
      z.array(z.enum(LAYERS)),
      /** A run: from and to in ms of the day, and whether it received, or was deaf. */
      z.array(z.tuple([dayMs, dayMs, z.literal([NOTHING, RECEIVING, DEAF])])).max(RUNS_MAX),
    ]),
  ),
});

function encodeReceptionDay(day: ReceptionDay): string {
  const [first] = [...day.values()].flatMap(({ runs }) => runs);
  const startMs = dayStartMs(first?.fromMs ?? 0);
  const feeds = [...day].map(([id, { layers, runs }]) => [
    id,
    layers,
    runs.map(({ fromMs, toMs, isReceiving, isDeaf }) => [
      fromMs - startMs,
      toMs - startMs,
      isDeaf ? DEAF : isReceiving ? RECEIVING : NOTHING,
    ]),
  ]);
  const rows = feeds.map((row) => JSON.stringify(row)).join(',\n');
  return `{"version":${RECEPTION_VERSION},"day":${startMs},"feeds":[\n${rows}\n]}\n`;
}

/** @throws Error if it is not whole */
export function decodeReceptionDay(text: string): ReceptionDay {
  const { day, feeds } = daySchema.parse(JSON.parse(text));
  return new Map(
    feeds.map(([id, layers, runs]) => [
      id,
      {
        layers,
        runs: runs.map(([from, to, state]) => ({
          fromMs: day + from,
          toMs: day + to,
          isReceiving: state !== NOTHING,
          isDeaf: state === DEAF,
        })),
      },
    ]),
  );
}

import type { ObservationColumns } from '#lib/codec/record-columns.ts';
import { sortByTime } from '#lib/columns/typed-arrays.ts';
import { kindOfFlags, LAYER_OF_KIND, type Layer, type TrackKind } from '#lib/model/position.ts';
import { byName, NUMBER_NAMES, type NumberName } from '#lib/model/record-fields.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { LabelSets, ObservationRows } from './observation-rows.ts';
import { TrackSeries } from './track-series.ts';

/** So many observations take about 45 MB of a page's memory (`npm run bench -- scrub`). */
const REPLAY_OBSERVATIONS_MAX = 1_000_000;
const BIN_MS = 5000;

export interface ReplayStoreOptions {
  /** At most 24 days long, since times are stored in 32 bits. */
  readonly window: Window;
  readonly maxObservations?: number;
  readonly binMs?: number;
}

export interface AddedObservations {
  readonly added: number;
  /** Duplicates of a reference and time; the first observation is kept. */
  readonly repeated: number;
  readonly outside: number;
  /** New observations that were rejected because not all of them fit. */
  readonly refused: number;
}

/**
 * Every observation once, by track and in order of time. Parts may arrive unordered and overlap; tracks are never
 * renumbered. Times are epoch milliseconds on the upstream's clock.
 */
export class ReplayStore {
  readonly window: Window;
  readonly rows = new ObservationRows();
  readonly labelSets = new LabelSets();
  readonly histogram: TimeHistogram;
  readonly #maxObservations: number;
  readonly #trackOfRef = new Map<string, number>();
  readonly #refs: string[] = [];
  readonly #kinds: TrackKind[] = [];
  readonly #series: TrackSeries[] = [];
  #revision = 0;

  constructor({ window, maxObservations = REPLAY_OBSERVATIONS_MAX, binMs = BIN_MS }: ReplayStoreOptions) {
    this.window = window;
    this.histogram = new TimeHistogram(window, binMs);
    this.#maxObservations = maxObservations;
  }

  get count(): number {
    return this.rows.count;
  }

  get trackCount(): number {
    return this.#refs.length;
  }

  get revision(): number {
    return this.#revision;
  }

  trackOf(ref: string): number | undefined {
    return this.#trackOfRef.get(ref);
  }

  refOf(track: number): string {
    return this.#refs[track] as string;
  }

  kindOf(track: number): TrackKind {
    return this.#kinds[track] as TrackKind;
  }

  /** The observations of a track. Times are since the window's start. */
  seriesOf(track: number): TrackSeries {
    return this.#series[track] as TrackSeries;
  }

  /** Adds observations [`first`, `end`), all or none. Callers slice large parts, and yield in between. */
  add(records: ObservationColumns, first = 0, end = records.count): AddedObservations {
    const groups = groupByTrack(records, first, end, epochMs(this.window.start), epochMs(this.window.end));
    const freshEnds = this.#moveFreshToFront(records, groups);
    let fresh = 0;
    for (const [group, freshEnd] of freshEnds.entries()) fresh += freshEnd - (groups.starts[group] as number);
    const repeated = groups.order.length - fresh;
    if (this.count + fresh > this.#maxObservations) {
      return { added: 0, repeated, outside: groups.outside, refused: fresh };
    }
    if (fresh > 0) this.#append(records, groups, freshEnds);
    return { added: fresh, repeated, outside: groups.outside, refused: 0 };
  }

  /** @returns the end of the new observations, by group */
  #moveFreshToFront(
    records: ObservationColumns,
    { refIndexes, starts, order, timesMs }: GroupedObservations,
  ): Uint32Array {
    const freshEnds = new Uint32Array(refIndexes.length);
    for (const [group, refIndex] of refIndexes.entries()) {
      const track = this.trackOf(records.refs[refIndex] as string);
      const series = track === undefined ? undefined : this.seriesOf(track);
      const start = starts[group] as number;
      let fresh = start;
      for (let at = start; at < (starts[group + 1] as number); at++) {
        const timeMs = timesMs[at] as number;
        if ((fresh > start && timesMs[fresh - 1] === timeMs) || series?.has(timeMs)) continue;
        timesMs[fresh] = timeMs;
        order[fresh] = order[at] as number;
        fresh++;
      }
      freshEnds[group] = fresh;
    }
    return freshEnds;
  }

  #append(
    records: ObservationColumns,
    { refIndexes, starts, order, timesMs }: GroupedObservations,
    freshEnds: Uint32Array,
  ): void {
    const append = this.rows.appender(records);
    const labelSet = this.labelSets.reader(records);
    for (const [group, refIndex] of refIndexes.entries()) {
      const start = starts[group] as number;
      const end = freshEnds[group] as number;
      if (start === end) continue;
      const firstRow = this.count;
      for (let at = start; at < end; at++) {
        const index = order[at] as number;
        append(index, labelSet(index));
      }
      const ref = records.refs[refIndex] as string;
      const track = this.trackOf(ref) ?? this.#newTrack(ref, firstRow);
      this.seriesOf(track).insert(timesMs, start, end, firstRow);
      const layer = LAYER_OF_KIND[this.kindOf(track)];
      for (let at = start; at < end; at++) this.histogram.add(layer, timesMs[at] as number);
    }
    this.#revision++;
  }

  #newTrack(ref: string, row: number): number {
    const track = this.#refs.push(ref) - 1;
    const { style } = this.labelSets.at(this.rows.labelSet(row));
    this.#kinds.push(kindOfFlags(style));
    this.#series.push(new TrackSeries());
    this.#trackOfRef.set(ref, track);
    return track;
  }
}

/** The observations of one track in order of time, epoch milliseconds; NaN is "not reported". */
export interface TrackHistory extends Readonly<Record<NumberName, Float64Array>> {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly count: number;
  readonly observedAtMs: Float64Array;
}

export function trackHistory(store: ReplayStore, track: number, since = store.window.start): TrackHistory {
  const series = store.seriesOf(track);
  const first = series.lastAtOrBefore(msBetween(store.window.start, since) - 1, 0) + 1;
  const count = series.count - first;
  const column = (read: (index: number) => number) =>
    Float64Array.from({ length: count }, (_, index) => read(first + index));
  return {
    ref: store.refOf(track),
    kind: store.kindOf(track),
    count,
    observedAtMs: column((index) => epochMs(store.window.start) + series.timeMs(index)),
    ...byName(NUMBER_NAMES, (name) => column((index) => store.rows.read[name](series.row(index)))),
  };
}

class TimeHistogram {
  readonly window: Window;
  readonly binMs: number;
  /** Bin i counts `[start + i × binMs, start + (i + 1) × binMs)`; the last may be shorter. */
  readonly counts: Readonly<Record<Layer, Uint32Array>>;

  constructor(window: Window, binMs: number) {
    const bins = Math.ceil(windowLengthMs(window) / binMs);
    this.window = window;
    this.binMs = binMs;
    this.counts = { rid: new Uint32Array(bins), adsb: new Uint32Array(bins) };
  }

  /** @param timeMs since the window's start, inside the window */
  add(layer: Layer, timeMs: number): void {
    const counts = this.counts[layer];
    const bin = Math.floor(timeMs / this.binMs);
    counts[bin] = (counts[bin] as number) + 1;
  }
}

interface GroupedObservations {
  /** Indexes into `ObservationColumns.refs`, one per group. */
  readonly refIndexes: readonly number[];
  /** Starts in `order` and `timesMs`; the extra last entry ends the last group. */
  readonly starts: Uint32Array;
  readonly order: Uint32Array;
  /** Times of `order`, in milliseconds since the store's start. */
  readonly timesMs: Int32Array;
  /** Omitted observations outside [`startMs`, `endMs`). */
  readonly outside: number;
}

/** Groups the observations in [`first`, `end`). The sort by time is stable. */
function groupByTrack(
  records: ObservationColumns,
  first: number,
  end: number,
  startMs: number,
  endMs: number,
): GroupedObservations {
  const counts = new Uint32Array(records.refs.length);
  const refIndexes: number[] = [];
  let inside = 0;
  for (let index = first; index < end; index++) {
    if (!isInside(records.observedAtMs[index] as number, startMs, endMs)) continue;
    const refIndex = records.refIndex[index] as number;
    if (counts[refIndex] === 0) refIndexes.push(refIndex);
    counts[refIndex] = (counts[refIndex] as number) + 1;
    inside++;
  }

  const starts = new Uint32Array(refIndexes.length + 1);
  /** Where the next observation of each reference goes in `order`. */
  const nextPlaces = new Uint32Array(records.refs.length);
  let place = 0;
  for (const [group, refIndex] of refIndexes.entries()) {
    starts[group] = place;
    nextPlaces[refIndex] = place;
    place += counts[refIndex] as number;
  }
  starts[refIndexes.length] = place;

  const order = new Uint32Array(inside);
  for (let index = first; index < end; index++) {
    if (!isInside(records.observedAtMs[index] as number, startMs, endMs)) continue;
    const refIndex = records.refIndex[index] as number;
    const next = nextPlaces[refIndex] as number;
    order[next] = index;
    nextPlaces[refIndex] = next + 1;
  }

  for (let group = 0; group < refIndexes.length; group++) {
    sortByTime(order.subarray(starts[group], starts[group + 1]), records.observedAtMs);
  }
  const timesMs = Int32Array.from(order, (index) => (records.observedAtMs[index] as number) - startMs);
  return { refIndexes, starts, order, timesMs, outside: end - first - inside };
}

function isInside(observedAtMs: number, startMs: number, endMs: number): boolean {
  return observedAtMs >= startMs && observedAtMs < endMs;
}

import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import { type AskedBox, contains } from './box-in-steps.ts';
import type { LayerPeriod } from './period.ts';
import { Rows } from './rows.ts';
import { restorerOf } from './stored-observation.ts';

/** A search in a period: times are ms since its start, half-open. */
export interface Asked {
  readonly box: AskedBox;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The rows that a search has found, and how to read them. */
export interface Found {
  readonly rows: FoundRows;
  /** False if some of the period could not be read. */
  readonly isWhole: boolean;
  trackKey(found: FoundRow): string;
  /** The observations of found rows, in their order, as far as they are readable. */
  restore(found: readonly FoundRow[]): Promise<{ readonly observations: Observation[]; readonly isWhole: boolean }>;
}

export function foundNothing(isWhole: boolean): Found {
  return {
    rows: new FoundRows(),
    isWhole,
    trackKey: () => '',
    restore: async () => ({ observations: [], isWhole }),
  };
}

/** Five minutes of one layer that can be read: in memory (`OpenPeriod`), or in a segment on disk. */
export interface RetainedPeriod {
  /** Finding times alone costs less. */
  find(asked: Asked, wanted: 'observations' | 'times'): Promise<Found>;
}

export interface AskedPeriod {
  readonly start: UpstreamInstant;
  readonly period: RetainedPeriod;
  readonly asked: Asked;
}

const AT_ONCE_MAX = 4;

/**
 * The first observations of several periods. `more` is true if there are others, `isWhole` false if some of it could
 * not be read.
 * @param periods sorted by time
 */
export async function earliestObservations(periods: readonly AskedPeriod[], maxCount: number) {
  const observations: Observation[] = [];
  let isWhole = true;
  let count = 0;
  for await (const { found } of findUntil(periods, 'observations', () => maxCount + 1 - count)) {
    isWhole &&= found.isWhole;
    // One more tells whether there are others.
    const rows = found.rows.earliest(maxCount + 1 - count, (row: FoundRow) => found.trackKey(row));
    count += rows.length;
    const restored = await found.restore(rows);
    isWhole &&= restored.isWhole;
    for (const observation of restored.observations) observations.push(observation);
  }
  return { observations: observations.slice(0, maxCount), more: count > maxCount, isWhole };
}

/** The times of the earliest observations. @param periods sorted by time */
export async function earliestTimes(periods: readonly AskedPeriod[], maxCount: number): Promise<UpstreamInstant[]> {
  const times: UpstreamInstant[] = [];
  for await (const { start, found } of findUntil(periods, 'times', () => maxCount - times.length)) {
    for (const offsetMs of found.rows.earliestTimes(maxCount - times.length)) times.push(addMs(start, offsetMs));
  }
  return times;
}

/**
 * Each period costs something, and each round a wait: after the first round, as many periods are read at once as will
 * probably be needed.
 * @param missing rows still wanted
 */
async function* findUntil(
  periods: readonly AskedPeriod[],
  wanted: 'observations' | 'times',
  missing: () => number,
): AsyncGenerator<{ readonly start: UpstreamInstant; readonly found: Found }> {
  for (let first = 0, atOnce = 1; first < periods.length && missing() > 0; ) {
    const group = periods.slice(first, first + atOnce);
    const before = missing();
    const founds = await Promise.all(group.map(({ period, asked }) => period.find(asked, wanted)));
    for (const [index, found] of founds.entries()) {
      if (missing() <= 0) return;
      yield { start: group[index]!.start, found };
    }
    first += group.length;
    const each = (before - missing()) / group.length;
    atOnce = Math.min(AT_ONCE_MAX, each > 0 ? Math.ceil(missing() / each) : 2 * atOnce);
  }
}

/** A period that is not sealed yet. */
export class OpenPeriod implements RetainedPeriod {
  readonly period: LayerPeriod;
  readonly rows = new Rows();
  #isWhole = true;
  #firstMs = Number.POSITIVE_INFINITY;

  constructor(period: LayerPeriod) {
    this.period = period;
  }

  get firstAt(): UpstreamInstant | undefined {
    return this.rows.length === 0 ? undefined : addMs(this.period.start, this.#firstMs);
  }

  /** Whether all of the period's log could be read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Notes that some of its log could not be read. */
  markDamaged(): void {
    this.#isWhole = false;
  }

  add(rows: Rows): void {
    this.rows.addAll(rows);
    for (let row = 0; row < rows.length; row += 1) this.#firstMs = Math.min(this.#firstMs, rows.columns.offsetMs[row]!);
  }

  find({ box, fromMs, untilMs }: Asked): Promise<Found> {
    const found = new FoundRows();
    const { length, columns, labels, trackKeys } = this.rows;
    const { offsetMs, lon, lat } = columns;
    for (let row = 0; row < length; row += 1) {
      const offset = offsetMs[row]!;
      if (offset >= fromMs && offset < untilMs && contains(box, lon[row]!, lat[row]!)) found.add(offset, 0, row);
    }
    const trackKey = ({ row }: FoundRow) => trackKeys[this.rows.track[row]!]!;
    const restore = async (rows: readonly FoundRow[]) => {
      const restored = restorerOf(this.period, columns, labels);
      return { observations: rows.map((each) => restored(trackKey(each), each.row)), isWhole: true };
    };
    return Promise.resolve({ rows: found, isWhole: this.#isWhole, trackKey, restore });
  }
}

export interface FoundRow {
  readonly offsetMs: number;
  readonly chunk: number;
  readonly row: number;
}

const SLICES = 1024;

/** The rows that a search found. They are kept in columns, since most are dropped. */
export class FoundRows {
  #offsetMs = new Int32Array(1024);
  #chunk = new Uint32Array(1024);
  #row = new Uint32Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(offsetMs: number, chunk: number, row: number): void {
    if (this.#count === this.#offsetMs.length) this.#grow();
    this.#offsetMs[this.#count] = offsetMs;
    this.#chunk[this.#count] = chunk;
    this.#row[this.#count] = row;
    this.#count += 1;
  }

  /** @returns the first offsets, sorted */
  earliestTimes(maxCount: number): Int32Array {
    const end = this.#endOfEarliest(maxCount);
    const times = new Int32Array(this.#count);
    let count = 0;
    for (let index = 0; index < this.#count; index += 1) {
      if (this.#offsetMs[index]! < end) times[count++] = this.#offsetMs[index]!;
    }
    return times.subarray(0, count).sort().subarray(0, maxCount);
  }

  /** The first rows, by time, then by track key, then in the order of appending. */
  earliest(maxCount: number, trackKey: (found: FoundRow) => string): FoundRow[] {
    const end = this.#endOfEarliest(maxCount);
    const found: FoundRow[] = [];
    for (let index = 0; index < this.#count; index += 1) {
      const offsetMs = this.#offsetMs[index]!;
      if (offsetMs < end) found.push({ offsetMs, chunk: this.#chunk[index]!, row: this.#row[index]! });
    }
    return found.sort((a, b) => a.offsetMs - b.offsetMs || compareAtOneTime(a, b, trackKey)).slice(0, maxCount);
  }

  #endOfEarliest(maxCount: number): number {
    if (this.#count <= maxCount) return Number.POSITIVE_INFINITY;
    let [first, last] = [this.#offsetMs[0]!, this.#offsetMs[0]!];
    for (let index = 1; index < this.#count; index += 1) {
      const offsetMs = this.#offsetMs[index]!;
      if (offsetMs < first) first = offsetMs;
      if (offsetMs > last) last = offsetMs;
    }
    const sliceMs = Math.ceil((last - first + 1) / SLICES);
    const counts = new Uint32Array(SLICES);
    for (let index = 0; index < this.#count; index += 1) {
      counts[Math.floor((this.#offsetMs[index]! - first) / sliceMs)]! += 1;
    }
    let slices = 0;
    for (let total = 0; total < maxCount; slices += 1) total += counts[slices]!;
    return first + slices * sliceMs;
  }

  #grow(): void {
    const capacity = this.#count * 2;
    const [offsetMs, chunk, row] = [new Int32Array(capacity), new Uint32Array(capacity), new Uint32Array(capacity)];
    offsetMs.set(this.#offsetMs);
    chunk.set(this.#chunk);
    row.set(this.#row);
    [this.#offsetMs, this.#chunk, this.#row] = [offsetMs, chunk, row];
  }
}

function compareAtOneTime(a: FoundRow, b: FoundRow, trackKey: (found: FoundRow) => string): number {
  const [keyA, keyB] = [trackKey(a), trackKey(b)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  return a.chunk - b.chunk || a.row - b.row;
}

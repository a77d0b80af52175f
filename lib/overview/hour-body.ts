import { cellKey } from './cell-key.ts';
import { CellNumbers } from './cell-numbers.ts';
import { type HourTally, isFollowed } from './hour-tally.ts';
import { unzigzag, VarintReader } from './varints.ts';
import type { WatchedBox } from './watched-boxes.ts';

export const VERSION = 1;
/** A step to a neighbour is one byte: 5 differences each of column, row and kind. */
export const STEPS = 5;
export const FAR = STEPS ** 3;
/** Of column, row and kind. */
type Step = readonly [number, number, number];
const STEP_PARTS = Array.from(
  { length: FAR },
  (_, step): Step => [
    unzigzag(Math.floor(step / (STEPS * STEPS))),
    unzigzag(Math.floor(step / STEPS) % STEPS),
    unzigzag(step % STEPS),
  ],
);
/** Cells are ordered by followers up to this: neighbours in the order have similar counts, and compress. */
const FOLLOWERS_MAX = 64;

export interface StoredHour {
  /** 2 ** size units of 1/256°. */
  readonly size: number;
  readonly sampling: number;
  readonly late: number;
  readonly isCut: boolean;
  readonly watched: readonly WatchedBox[];
  /** Kinds of position in cells: a column, row, kind and count each. */
  readonly columns: Uint32Array;
  readonly rows: Uint32Array;
  readonly kinds: Uint32Array;
  readonly counts: Uint32Array;
  /** A path for each followed reference: indices of cells, from `starts[path]` to `starts[path + 1]`. */
  readonly starts: Uint32Array;
  readonly paths: Uint32Array;
  /** Of cells that only other references were in. */
  readonly others: Uint32Array;
}

/** Memory for hours that are read one after the other. */
export class HourMemory {
  readonly #kept = new Map<string, Uint32Array>();

  /** Of any content. */
  take(name: string, length: number): Uint32Array {
    const kept = this.#kept.get(name);
    if (kept && kept.length >= length) return kept.subarray(0, length);
    const larger = new Uint32Array(2 * length);
    this.#kept.set(name, larger);
    return larger.subarray(0, length);
  }
}

/** @param memory the result is valid until its next use @throws RangeError for bytes of another form */
export function readHour(bytes: Uint8Array, memory = new HourMemory()): StoredHour {
  const from = new VarintReader(bytes);
  if (from.next() !== VERSION) throw new RangeError('another version');
  const [size, sampling, late, isCut] = [from.next(), from.next(), from.next(), from.next() === 1];
  const watched = readWatched(from);
  const extent = { column: from.next(), row: from.next(), columns: from.next(), rows: from.next(), kinds: from.next() };
  const [cellCount, pairCount, pathCount] = [from.next(), from.next(), from.next()];
  if (cellCount > pairCount || pairCount > bytes.length) throw new RangeError('the bytes are too few');
  const starts = memory.take('starts', pathCount + 2);
  starts[0] = 0;
  const cells = new CellNumbers(extent, memory.take('places', cellCount));
  const visits = memory.take('visits', cellCount).fill(0);
  const paths = memory.take('paths', pairCount);
  let length = 0;
  const stepSizes = STEP_PARTS.map((parts) => cells.stepOf(...parts));
  const steps = cells.isGrid ? Int32Array.from(stepSizes) : Float64Array.from(stepSizes);
  try {
    for (let path = 0; path <= pathCount; path++) {
      let place = cells.origin;
      for (let left = from.next(); left > 0; left--) {
        const step = from.nextByte();
        place += step === FAR ? cells.stepOf(...farStep(from)) : (steps[step] as number);
        const cell = cells.add(place);
        (visits[cell] as number)++;
        paths[length++] = cell;
      }
      starts[path + 1] = length;
    }
  } finally {
    cells.clear();
  }
  const [columns, rows, kinds] = [
    memory.take('columns', cellCount),
    memory.take('rows', cellCount),
    memory.take('kinds', cellCount),
  ];
  cells.fill(columns, rows, kinds);
  const order = byVisits(visits, memory.take('order', cellCount));
  const counts = memory.take('counts', cellCount);
  for (let at = 0; at < cellCount; at++) counts[order[at] as number] = from.nextByte() + 1;
  // Few cells have more than 256.
  for (let [at, cell] = [from.next(), 0]; at > 0; at--) {
    cell += from.next();
    (counts[cell] as number) += from.next() * 256;
  }
  const end = starts[pathCount] as number;
  return {
    size,
    sampling,
    late,
    isCut,
    watched,
    columns,
    rows,
    kinds,
    counts,
    starts: starts.subarray(0, pathCount + 1),
    paths: paths.subarray(0, end),
    others: paths.subarray(end, length),
  };
}

function farStep(from: VarintReader): Step {
  return [unzigzag(from.next()), unzigzag(from.next()), unzigzag(from.next())];
}

function readWatched(from: VarintReader): readonly WatchedBox[] {
  let [west, south] = [0, 0];
  return Array.from({ length: from.next() }, (): WatchedBox => {
    west += unzigzag(from.next());
    south += unzigzag(from.next());
    const [width, height, watchedS, partlyS] = [from.next(), from.next(), from.next(), from.next()];
    return { box: { west, south, east: west + width, north: south + height }, watchedS, partlyS };
  });
}

/** Indices by visits, else in order. */
export function byVisits(visits: Uint32Array, order: Uint32Array): Uint32Array {
  const starts = new Uint32Array(FOLLOWERS_MAX + 2);
  for (let index = 0; index < visits.length; index++)
    (starts[Math.min(FOLLOWERS_MAX, visits[index] as number) + 1] as number)++;
  for (let each = 1; each < starts.length; each++) (starts[each] as number) += starts[each - 1] as number;
  for (let index = 0; index < visits.length; index++)
    order[(starts[Math.min(FOLLOWERS_MAX, visits[index] as number)] as number)++] = index;
  return order;
}

/** Fills an empty tally. @param references by `writeHashes` at the same time */
export function restoreHour(tally: HourTally, hour: StoredHour, references: Uint8Array, hourMs: number): void {
  tally.restore(hour.size, hour.sampling);
  tally.late = hour.late;
  const from = new VarintReader(references);
  let path = 0;
  for (let reference = 0; !from.isAtEnd; reference++) {
    const hash = from.next();
    tally.restoreReference(hash, hourMs + unzigzag(from.next()));
    if (!isFollowed(hash, hour.sampling)) continue;
    for (let at = hour.starts[path] as number; at < (hour.starts[path + 1] as number); at++)
      tally.restorePair(reference + 1, keyOf(hour, hour.paths[at] as number));
    path++;
  }
  for (const cell of hour.others) tally.restorePair(0, keyOf(hour, cell));
  for (const [cell, count] of hour.counts.entries()) tally.restoreCount(keyOf(hour, cell), count);
}

function keyOf({ columns, rows, kinds }: StoredHour, cell: number): number {
  return cellKey(columns[cell] as number, rows[cell] as number, kinds[cell] as number);
}

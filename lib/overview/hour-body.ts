import { ByteReader, ByteWriter, DamagedBytes, unzigzag, zigzag } from '#lib/columns/bytes.ts';
import { cellKey, columnOfKey, KINDS, kindOfKey, rowOfKey, SIZE_MAX, WORLD_COLUMNS, WORLD_ROWS } from './cells.ts';
import type { FollowedSteps } from './followed-steps.ts';
import { type HourTally, isFollowed } from './hour-tally.ts';
import { type CellExtent, CellNumbers, NumberTable } from './number-table.ts';
import type { WatchedBox } from './watched-boxes.ts';

/**
 * An hour of a layer as bytes: where it was watched, the cells, and the path of each followed reference through them. A
 * cell is numbered where a path first comes to it, so that most steps are one byte. These are steps between cells and not
 * columns of positions, so the hour has varints as lib/columns writes them, and a form of its own. Measured reception is at
 * its end.
 */
const VERSION = 2;
/** Hours of this version have no measured reception. */
const UNMEASURED_VERSION = 1;
/** A step to a neighbour is one byte: 5 differences each of column, row and kind. */
const STEPS = 5;
const FAR = STEPS ** 3;
/** The differences of column, row and kind. */
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
  /** Cells have sides of 2 ** size units of 1/256°. */
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
  /** Indices of cells that only other references were in. */
  readonly others: Uint32Array;
  /** `measuredOf` reads it, since most answers do not need it; `undefined`: not measured. */
  readonly measured: Uint8Array | undefined;
}

/** Steps between receptions, by kind of position in cells. Columns of equal length. */
export interface MeasuredCells {
  readonly size: number;
  /** As of `cellKey`. */
  readonly keys: Float64Array;
  readonly received: Uint32Array;
  readonly missed: Uint32Array;
}

/** Memory for hours that are read one after the other. */
export class HourMemory {
  readonly #kept = new Map<string, Uint32Array>();

  /** Numbers of any content, valid until the name is taken again. */
  take(name: string, length: number): Uint32Array {
    const kept = this.#kept.get(name);
    if (kept && kept.length >= length) return kept.subarray(0, length);
    const larger = new Uint32Array(2 * length);
    this.#kept.set(name, larger);
    return larger.subarray(0, length);
  }
}

/** @param memory the result is valid until its next use @throws DamagedBytes */
export function readHour(bytes: Uint8Array, memory = new HourMemory()): StoredHour {
  const from = new ByteReader(bytes);
  const version = from.varint();
  if (version !== VERSION && version !== UNMEASURED_VERSION) throw new DamagedBytes(`an hour of version ${version}`);
  const [size, sampling, late, isCut] = [from.varint(), from.varint(), from.varint(), from.varint() === 1];
  const watched = readWatched(from);
  const extent = readExtent(from);
  const [cellCount, pairCount, pathCount] = [from.varint(), from.varint(), from.varint()];
  const isTooShort = cellCount > pairCount || pairCount > bytes.length || pathCount > bytes.length;
  if (isTooShort) throw new DamagedBytes(`${cellCount} cells, ${pairCount} steps and ${pathCount} paths`);
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
      for (let left = from.varint(); left > 0; left--) {
        const step = from.byte();
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
  for (let at = 0; at < cellCount; at++) counts[order[at] as number] = from.byte() + 1;
  // The upper bytes of counts, since few cells have more than 256 positions.
  for (let [at, cell] = [from.varint(), 0]; at > 0; at--) {
    cell += from.varint();
    (counts[cell] as number) += from.varint() * 256;
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
    measured: version === VERSION ? from.rest() : undefined,
  };
}

function farStep(from: ByteReader): Step {
  return [from.svarint(), from.svarint(), from.svarint()];
}

function readExtent(from: ByteReader): CellExtent {
  const [column, row] = [from.varint(), from.varint()];
  const [columns, rows, kinds] = [from.varint(), from.varint(), from.varint()];
  if (kinds > KINDS) throw new DamagedBytes(`${kinds} kinds of position`);
  return { column, row, columns, rows, kinds };
}

function readWatched(from: ByteReader): readonly WatchedBox[] {
  const boxes: WatchedBox[] = [];
  let [west, south] = [0, 0];
  for (let left = from.varint(); left > 0; left--) {
    west += from.svarint();
    south += from.svarint();
    const [width, height, watchedS, partlyS] = [from.varint(), from.varint(), from.varint(), from.varint()];
    boxes.push({ box: { west, south, east: west + width, north: south + height }, watchedS, partlyS });
  }
  return boxes;
}

/** Fills `order` with indices by the number of visits. Those with equal numbers stay in order. */
function byVisits(visits: Uint32Array, order: Uint32Array): Uint32Array {
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
  tally.restore(hour);
  const from = new ByteReader(references);
  let path = 0;
  for (let reference = 0; !from.isAtEnd; reference++) {
    const hash = from.varint();
    tally.restoreReference(hash, hourMs + from.svarint());
    if (!isFollowed(hash, hour.sampling)) continue;
    for (let at = hour.starts[path] as number; at < (hour.starts[path + 1] as number); at++)
      tally.restorePair(reference + 1, keyOf(hour, hour.paths[at] as number));
    path++;
  }
  for (const cell of hour.others) tally.restorePair(0, keyOf(hour, cell));
  for (const [cell, count] of hour.counts.entries()) tally.restoreCount(keyOf(hour, cell), count);
  const measured = measuredOf(hour);
  measured?.keys.forEach((key, cell) => {
    tally.followed.restore(key, measured.received[cell] as number, measured.missed[cell] as number);
  });
}

function keyOf({ columns, rows, kinds }: StoredHour, cell: number): number {
  return cellKey(columns[cell] as number, rows[cell] as number, kinds[cell] as number);
}

/** The bytes of a tally, and of where it was watched. */
export function writeHour(tally: HourTally, watched: readonly WatchedBox[], isCut: boolean): Uint8Array {
  const to = new ByteWriter();
  for (const value of [VERSION, tally.size, tally.sampling, tally.late, isCut ? 1 : 0]) to.varint(value);
  to.varint(watched.length);
  let [lastWest, lastSouth] = [0, 0];
  for (const { box, watchedS, partlyS } of watched) {
    for (const difference of [box.west - lastWest, box.south - lastSouth]) to.svarint(difference);
    for (const value of [box.east - box.west, box.north - box.south, watchedS, partlyS]) to.varint(value);
    [lastWest, lastSouth] = [box.west, box.south];
  }
  const paths = Map.groupBy(
    Array.from({ length: tally.pairs.size }, (_, pair) => pair),
    (pair) => tally.followerOf(pair),
  );
  const others = paths.get(0) ?? [];
  paths.delete(0);
  const followers = [...paths.keys()].sort((a, b) => a - b);
  const cells = new NumberTable();
  const visits = new Uint32Array(tally.cells.size);
  const { column, row, columns, rows, kinds } = extentOf(tally);
  for (const value of [column, row, columns, rows, kinds]) to.varint(value);
  for (const value of [tally.cells.size, tally.pairs.size, followers.length]) to.varint(value);
  for (const path of [...followers.map((follower) => paths.get(follower) ?? []), others]) {
    to.varint(path.length);
    let last = 0;
    for (const pair of path) {
      const cell = tally.cellOf(pair);
      const key = tally.cells.at(cell);
      const step = [
        zigzag(columnOfKey(key) - columnOfKey(last)),
        zigzag(rowOfKey(key) - rowOfKey(last)),
        zigzag(kindOfKey(key) - kindOfKey(last)),
      ] as const;
      last = key;
      if (step.every((part) => part < STEPS)) to.varint((step[0] * STEPS + step[1]) * STEPS + step[2]);
      else for (const value of [FAR, ...step]) to.varint(value);
      (visits[cells.add(cell)] as number)++;
    }
  }
  const order = byVisits(visits, new Uint32Array(visits.length));
  const numbers = Array.from(order, (index) => (tally.counts[cells.at(index)] as number) - 1);
  // Only the low bytes are written here, since varints of two bytes would interrupt them.
  for (const number of numbers) to.byte(number % 256);
  const large = order.filter((_, at) => (numbers[at] as number) >= 256).sort();
  to.varint(large.length);
  large.forEach((cell, at) => {
    to.varint(cell - (large[at - 1] ?? 0));
    to.varint(Math.floor(((tally.counts[cells.at(cell)] as number) - 1) / 256));
  });
  const larger = new LargerCells(tally.followed.size - tally.size, cells.size);
  for (let at = 0; at < cells.size; at++) {
    const cell = cells.at(at);
    const key = tally.cells.at(cell);
    larger.add(columnOfKey(key), rowOfKey(key), kindOfKey(key), tally.counts[cell] as number);
  }
  writeMeasured(to, tally.followed, larger);
  return to.bytes();
}

/** Positions by larger cells, which are numbered where they first occur. */
class LargerCells {
  readonly #larger: number;
  readonly cells: NumberTable;
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param smaller how many cells are added at most */
  constructor(larger: number, smaller: number) {
    this.#larger = larger;
    this.cells = new NumberTable(smaller >> larger);
    this.#counts = new Float64Array(smaller);
  }

  add(column: number, row: number, kind: number, count: number): void {
    const cell = this.cells.add(cellKey(column >> this.#larger, row >> this.#larger, kind));
    (this.#counts[cell] as number) += count;
    this.#sum += count;
  }

  /** Received steps, if they were as frequent among the positions as in the whole hour. */
  expected(cell: number, receivedSum: number): number {
    return Math.round(((this.#counts[cell] as number) * receivedSum) / this.#sum);
  }
}

/**
 * Received steps as differences from what the number of positions lets expect, which compress to a third. Then missed steps,
 * and last the cells without a position, of which all steps are missed.
 */
function writeMeasured(to: ByteWriter, followed: FollowedSteps, larger: LargerCells): void {
  const { cells } = larger;
  const found = Array.from({ length: cells.size }, (_, cell) => followed.cells.find(cells.at(cell)));
  const received = found.map((cell) => followed.received[cell] ?? 0);
  const receivedSum = received.reduce((sum, steps) => sum + steps, 0);
  to.varint(followed.size);
  to.varint(receivedSum);
  for (const [cell, steps] of received.entries()) to.svarint(steps - larger.expected(cell, receivedSum));
  for (const cell of found) to.varint(followed.missed[cell] ?? 0);
  const others = Array.from({ length: followed.cells.size }, (_, cell) => cell)
    .filter((cell) => cells.find(followed.cells.at(cell)) < 0)
    .sort((one, next) => followed.cells.at(one) - followed.cells.at(next));
  to.varint(others.length);
  let last = 0;
  for (const cell of others) {
    const key = followed.cells.at(cell);
    to.varint(key - last);
    to.varint(followed.missed[cell] as number);
    last = key;
  }
}

/** @returns `undefined` for an hour that is not measured @throws DamagedBytes */
export function measuredOf(hour: StoredHour): MeasuredCells | undefined {
  if (!hour.measured) return undefined;
  const from = new ByteReader(hour.measured);
  const [size, receivedSum] = [from.varint(), from.varint()];
  if (size < hour.size || size > SIZE_MAX) throw new DamagedBytes(`measured cells of size ${size}`);
  const { columns, rows, kinds, counts } = hour;
  const larger = new LargerCells(size - hour.size, counts.length);
  for (let cell = 0; cell < counts.length; cell++)
    larger.add(columns[cell] as number, rows[cell] as number, kinds[cell] as number, counts[cell] as number);
  const known = larger.cells.size;
  const keys = Array.from({ length: known }, (_, cell) => larger.cells.at(cell));
  const received = keys.map((_, cell) => larger.expected(cell, receivedSum) + from.svarint());
  const missed = keys.map(() => from.varint());
  let key = 0;
  for (let left = from.varint(); left > 0; left--) {
    key += from.varint();
    keys.push(key);
    received.push(0);
    missed.push(from.varint());
  }
  from.end();
  if (received.some((steps) => steps < 0)) throw new DamagedBytes('fewer received steps than none');
  return {
    size,
    keys: Float64Array.from(keys),
    received: Uint32Array.from(received),
    missed: Uint32Array.from(missed),
  };
}

function extentOf({ cells }: HourTally): CellExtent {
  if (cells.size === 0) return { column: 0, row: 0, columns: 0, rows: 0, kinds: 0 };
  let [west, south, east, north, kinds] = [WORLD_COLUMNS, WORLD_ROWS, 0, 0, 0];
  for (let cell = 0; cell < cells.size; cell++) {
    const key = cells.at(cell);
    const [column, row] = [columnOfKey(key), rowOfKey(key)];
    [west, east] = [Math.min(west, column), Math.max(east, column)];
    [south, north] = [Math.min(south, row), Math.max(north, row)];
    kinds = Math.max(kinds, kindOfKey(key) + 1);
  }
  return { column: west, row: south, columns: east - west + 1, rows: north - south + 1, kinds };
}

/** Hashes and newest times of references: what an hour needs to be counted on after a restart. */
export function writeHashes(tally: HourTally, hourMs: number): Uint8Array {
  const to = new ByteWriter();
  for (let reference = 0; reference < tally.references.size; reference++) {
    to.varint(tally.references.at(reference));
    to.svarint(tally.newestOf(reference) - hourMs);
  }
  return to.bytes();
}

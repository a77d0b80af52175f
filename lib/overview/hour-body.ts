import { cellKey, columnOfKey, type HourTally, isFollowed, kindOfKey, rowOfKey } from './hour-tally.ts';
import { NumberTable } from './number-table.ts';
import { unzigzag, VarintReader, VarintWriter, zigzag } from './varints.ts';
import type { WatchedBox } from './watched-boxes.ts';

const VERSION = 1;
/** A step to a neighbour is one byte: 5 differences each of column, row and kind. */
const STEPS = 5;
const FAR = STEPS ** 3;
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
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly kinds: Uint8Array;
  readonly counts: Uint32Array;
  /** A path for each followed reference: indices of cells, from `starts[path]` to `starts[path + 1]`. */
  readonly starts: Uint32Array;
  readonly paths: Uint32Array;
  /** Of cells that only other references were in. */
  readonly others: Uint32Array;
}

/** Of a tally and of where it was watched. */
export function writeHour(tally: HourTally, watched: readonly WatchedBox[], isCut: boolean): Uint8Array {
  const to = new VarintWriter();
  for (const value of [VERSION, tally.size, tally.sampling, tally.late, isCut ? 1 : 0]) to.put(value);
  to.put(watched.length);
  let [lastWest, lastSouth] = [0, 0];
  for (const { box, watchedS, partlyS } of watched) {
    for (const value of [zigzag(box.west - lastWest), zigzag(box.south - lastSouth)]) to.put(value);
    for (const value of [box.east - box.west, box.north - box.south, watchedS, partlyS]) to.put(value);
    [lastWest, lastSouth] = [box.west, box.south];
  }
  const paths = Map.groupBy(
    Array.from({ length: tally.pairs.size }, (_, pair) => pair),
    (pair) => tally.followerOf(pair),
  );
  const others = paths.get(0) ?? [];
  paths.delete(0);
  const followers = [...paths.keys()].sort((a, b) => a - b);
  // A cell is numbered where a path first comes to it.
  const cells = new NumberTable();
  const visits: number[] = [];
  to.put(followers.length);
  for (const path of [...followers.map((follower) => paths.get(follower) ?? []), others]) {
    to.put(path.length);
    let [column, row, kind] = [0, 0, 0];
    for (const pair of path) {
      const cell = tally.cellOf(pair);
      const key = tally.cells.at(cell);
      const step = [
        zigzag(columnOfKey(key) - column),
        zigzag(rowOfKey(key) - row),
        zigzag(kindOfKey(key) - kind),
      ] as const;
      [column, row, kind] = [columnOfKey(key), rowOfKey(key), kindOfKey(key)];
      if (step.every((part) => part < STEPS)) to.put((step[0] * STEPS + step[1]) * STEPS + step[2]);
      else for (const value of [FAR, ...step]) to.put(value);
      const index = cells.add(cell);
      visits[index] = (visits[index] ?? 0) + 1;
    }
  }
  const order = byVisits(visits);
  const numbers = Array.from(order, (index) => (tally.counts[cells.at(index)] as number) - 1);
  // The low bytes alone: varints of two bytes would interrupt them.
  for (const number of numbers) to.putByte(number % 256);
  for (const number of numbers) to.put(Math.floor(number / 256));
  return to.bytes();
}

/** @throws RangeError for bytes of another form */
export function readHour(bytes: Uint8Array): StoredHour {
  const from = new VarintReader(bytes);
  if (from.next() !== VERSION) throw new RangeError('another version');
  const [size, sampling, late, isCut] = [from.next(), from.next(), from.next(), from.next() === 1];
  const watched = readWatched(from);
  const pathCount = from.next();
  const starts = new Uint32Array(pathCount + 2);
  const cells = new NumberTable();
  const visits: number[] = [];
  let paths = new Uint32Array(1024);
  let length = 0;
  for (let path = 0; path <= pathCount; path++) {
    let [column, row, kind] = [0, 0, 0];
    for (let left = from.next(); left > 0; left--) {
      const step = from.next();
      if (step === FAR) {
        column += unzigzag(from.next());
        row += unzigzag(from.next());
        kind += unzigzag(from.next());
      } else {
        column += unzigzag(Math.floor(step / (STEPS * STEPS)));
        row += unzigzag(Math.floor(step / STEPS) % STEPS);
        kind += unzigzag(step % STEPS);
      }
      const cell = cells.add(cellKey(column, row, kind));
      visits[cell] = (visits[cell] ?? 0) + 1;
      if (length === paths.length) {
        const longer = new Uint32Array(2 * length);
        longer.set(paths);
        paths = longer;
      }
      paths[length++] = cell;
    }
    starts[path + 1] = length;
  }
  const order = byVisits(visits);
  const counts = new Uint32Array(cells.size);
  for (const cell of order) counts[cell] = from.nextByte() + 1;
  for (const cell of order) counts[cell] = (counts[cell] as number) + from.next() * 256;
  const [columns, rows, kinds] = [new Int32Array(cells.size), new Int32Array(cells.size), new Uint8Array(cells.size)];
  for (let cell = 0; cell < cells.size; cell++) {
    const key = cells.at(cell);
    columns[cell] = columnOfKey(key);
    rows[cell] = rowOfKey(key);
    kinds[cell] = kindOfKey(key);
  }
  const end = starts[pathCount] as number;
  return {
    ...{ size, sampling, late, isCut, watched, columns, rows, kinds, counts },
    ...{
      starts: starts.subarray(0, pathCount + 1),
      paths: paths.subarray(0, end),
      others: paths.subarray(end, length),
    },
  };
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
function byVisits(visits: readonly number[]): Uint32Array {
  const starts = new Uint32Array(FOLLOWERS_MAX + 2);
  const clamped = (index: number) => Math.min(FOLLOWERS_MAX, visits[index] as number);
  for (let index = 0; index < visits.length; index++) (starts[clamped(index) + 1] as number)++;
  for (let each = 1; each < starts.length; each++) (starts[each] as number) += starts[each - 1] as number;
  const order = new Uint32Array(visits.length);
  for (let index = 0; index < visits.length; index++) order[(starts[clamped(index)] as number)++] = index;
  return order;
}

/** Hashes and newest times of references: what an hour needs to be counted on after a restart. */
export function writeReferences(tally: HourTally, hourMs: number): Uint8Array {
  const to = new VarintWriter();
  for (let reference = 0; reference < tally.references.size; reference++) {
    to.put(tally.references.at(reference));
    to.put(zigzag(tally.newestOf(reference) - hourMs));
  }
  return to.bytes();
}

/** Fills an empty tally. @param references by `writeReferences` at the same time */
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

import { columnOfKey, kindOfKey, rowOfKey } from './cell-key.ts';
import type { CellExtent } from './cell-numbers.ts';
import { WORLD_COLUMNS, WORLD_ROWS } from './cells.ts';
import { byVisits, FAR, STEPS, VERSION } from './hour-body.ts';
import type { HourTally } from './hour-tally.ts';
import { NumberTable } from './number-table.ts';
import { VarintWriter, zigzag } from './varints.ts';
import type { WatchedBox } from './watched-boxes.ts';

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
  const visits = new Uint32Array(tally.cells.size);
  const { column, row, columns, rows, kinds } = extentOf(tally);
  for (const value of [column, row, columns, rows, kinds]) to.put(value);
  for (const value of [tally.cells.size, tally.pairs.size, followers.length]) to.put(value);
  for (const path of [...followers.map((follower) => paths.get(follower) ?? []), others]) {
    to.put(path.length);
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
      if (step.every((part) => part < STEPS)) to.put((step[0] * STEPS + step[1]) * STEPS + step[2]);
      else for (const value of [FAR, ...step]) to.put(value);
      (visits[cells.add(cell)] as number)++;
    }
  }
  const order = byVisits(visits, new Uint32Array(visits.length));
  const numbers = Array.from(order, (index) => (tally.counts[cells.at(index)] as number) - 1);
  // The low bytes alone: varints of two bytes would interrupt them.
  for (const number of numbers) to.putByte(number % 256);
  const large = order.filter((_, at) => (numbers[at] as number) >= 256).sort();
  to.put(large.length);
  large.forEach((cell, at) => {
    to.put(cell - (large[at - 1] ?? 0));
    to.put(Math.floor(((tally.counts[cells.at(cell)] as number) - 1) / 256));
  });
  return to.bytes();
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
  const to = new VarintWriter();
  for (let reference = 0; reference < tally.references.size; reference++) {
    to.put(tally.references.at(reference));
    to.put(zigzag(tally.newestOf(reference) - hourMs));
  }
  return to.bytes();
}

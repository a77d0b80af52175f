import {
  BANDS,
  type CellBox,
  CLASSES,
  columnOfKey,
  indexIn,
  KINDS,
  kindOfKey,
  rowOfKey,
  type UnitBox,
  WORLD_COLUMNS,
} from './cells.ts';
import { measuredOf, type StoredHour } from './hour-body.ts';
import type { WatchedBox } from './watched-boxes.ts';

/** Indices of the layer's height bands; `undefined`: all. */
export type BandChoice = readonly number[] | undefined;

/** Has 1 for a band that counts. */
function bandFlags(bands: BandChoice): Uint8Array {
  const flags = new Uint8Array(BANDS).fill(bands ? 0 : 1);
  for (const band of bands ?? []) flags[band] = 1;
  return flags;
}

/** Steps of time, of those between receptions. */
interface MeasuredSum {
  readonly received: Float64Array;
  readonly followed: Float64Array;
}

/** Sums over hours for each cell, as the map shows them. */
export class CoverageSum {
  readonly cells: CellBox;
  /** Numbers of positions by class, then by cell. */
  readonly positions: readonly Float64Array[];
  readonly referenceHours: Float64Array;
  /** Steps of main positions; `undefined` where no hour has them, or the cells are too small. */
  measured: MeasuredSum | undefined;
  #watched: WatchedTime;
  readonly #bands: BandChoice;
  readonly #isMeasured: boolean;
  /** The last path that counted in a cell. */
  readonly #counted: Int32Array;
  #path = 0;
  #indices = new Int32Array(0);

  /**
   * @param bands indices of the layer's height bands, which are added up; default: all
   * @param isMeasured whether steps are added; the cells are then as large as those of any hour in which it is measured
   */
  constructor(cells: CellBox, bands?: BandChoice, isMeasured = false) {
    const length = cells.columns * cells.rows;
    this.cells = cells;
    this.positions = Array.from({ length: CLASSES }, () => new Float64Array(length));
    this.referenceHours = new Float64Array(length);
    this.#watched = new WatchedTime(cells);
    this.#bands = bands;
    this.#isMeasured = isMeasured;
    this.#counted = new Int32Array(length);
  }

  add(hour: StoredHour): void {
    const { columns, rows, kinds, counts, starts, paths, watched, sampling } = hour;
    for (const box of watched) this.#watched.add(box);
    const [box, referenceHours, counted] = [this.cells, this.referenceHours, this.#counted];
    const isOfBand = bandFlags(this.#bands);
    /** The index here of each of the hour's cells: -1 outside, of another band, or apart. */
    if (this.#indices.length < counts.length) this.#indices = new Int32Array(2 * counts.length);
    const indices = this.#indices;
    for (let cell = 0; cell < counts.length; cell++) {
      const kind = kinds[cell] as number;
      const index =
        isOfBand[kind % BANDS] === 1 ? indexIn(box, columns[cell] as number, rows[cell] as number, hour.size) : -1;
      indices[cell] = kind < BANDS ? index : -1;
      if (index < 0) continue;
      const positions = this.positions[Math.floor(kind / BANDS)] as Float64Array;
      (positions[index] as number) += counts[cell] as number;
    }
    const weight = 2 ** sampling;
    let path = this.#path;
    for (let each = 0; each + 1 < starts.length; each++) {
      path++;
      const end = starts[each + 1] as number;
      for (let at = starts[each] as number; at < end; at++) {
        const index = indices[paths[at] as number] as number;
        if (index < 0 || counted[index] === path) continue;
        counted[index] = path;
        (referenceHours[index] as number) += weight;
      }
    }
    this.#path = path;
    if (this.#isMeasured) this.#addMeasured(hour, isOfBand);
  }

  #addMeasured(hour: StoredHour, isOfBand: Uint8Array): void {
    const measured = measuredOf(hour);
    if (!measured) return;
    const { length } = this.referenceHours;
    this.measured ??= { received: new Float64Array(length), followed: new Float64Array(length) };
    const { size, keys, received, missed } = measured;
    for (let cell = 0; cell < keys.length; cell++) {
      const key = keys[cell] as number;
      const kind = kindOfKey(key);
      if (kind >= BANDS || isOfBand[kind] === 0) continue;
      const index = indexIn(this.cells, columnOfKey(key), rowOfKey(key), size);
      if (index < 0) continue;
      (this.measured.received[index] as number) += received[cell] as number;
      (this.measured.followed[index] as number) += (received[cell] as number) + (missed[cell] as number);
    }
  }

  /** A sum to which more hours can be added while this one stays. */
  copy(): CoverageSum {
    const copy = new CoverageSum(this.cells, this.#bands, this.#isMeasured);
    for (const [index, counts] of this.positions.entries()) copy.positions[index]?.set(counts);
    copy.referenceHours.set(this.referenceHours);
    if (this.measured) {
      copy.measured = { received: this.measured.received.slice(), followed: this.measured.followed.slice() };
    }
    copy.#watched = this.#watched.copy();
    return copy;
  }

  watched(): ReturnType<WatchedTime['perCell']> {
    return this.#watched.perCell();
  }
}

/** The cells of a box that count. */
export interface CellMask {
  readonly cells: CellBox;
  /** Has 1 for cells that count, row by row. */
  readonly isIn: Uint8Array;
}

interface ClassSum {
  readonly positions: number;
  /** How many distinct references. */
  readonly references: number;
  /** The standard error, if the number is an estimate from a sample. */
  readonly referencesError: number | undefined;
}

export interface HourSum {
  /** Seconds are means over the cells. */
  readonly watchedS: number;
  readonly partlyS: number;
  readonly classes: readonly ClassSum[];
}

/** Sums over cells for one hour, as the charts show them. */
export function sumOfHour(hour: StoredHour, { cells, isIn }: CellMask, bands?: BandChoice): HourSum {
  const { columns, rows, kinds, counts, starts, paths, sampling } = hour;
  const isOfBand = bandFlags(bands);
  const positions = new Float64Array(CLASSES);
  /** The class of each cell + 1, or 0 for one that does not count. */
  const classes = new Uint8Array(counts.length);
  for (let cell = 0; cell < counts.length; cell++) {
    const index = indexIn(cells, columns[cell] as number, rows[cell] as number, hour.size);
    if (index < 0 || isIn[index] === 0 || isOfBand[(kinds[cell] as number) % BANDS] === 0) continue;
    const its = Math.floor((kinds[cell] as number) / BANDS);
    classes[cell] = its + 1;
    (positions[its] as number) += counts[cell] as number;
  }
  const followed = new Float64Array(CLASSES);
  for (let path = 0; path + 1 < starts.length; path++) {
    let found = 0;
    for (let at = starts[path] as number; at < (starts[path + 1] as number); at++)
      found |= (1 << (classes[paths[at] as number] as number)) >> 1;
    for (let its = 0; its < CLASSES; its++) (followed[its] as number) += (found >> its) & 1;
  }
  return {
    ...watchedMean(hour, { cells, isIn }),
    classes: Array.from(positions, (count, its) => ({
      positions: count,
      ...estimated(followed[its] as number, sampling, count),
    })),
  };
}

/** Sums over the cells of an area: what was received at each height, and in which share of steps it was received. */
export class ReceptionSum {
  /** Numbers of positions by class, then by band. */
  readonly positions = new Float64Array(KINDS);
  /** Steps of main positions, by band. */
  readonly received = new Float64Array(BANDS);
  readonly followed = new Float64Array(BANDS);
  /** Seconds are means over the cells. */
  watchedS = 0;
  partlyS = 0;

  plus(other: ReceptionSum): void {
    for (const name of ['positions', 'received', 'followed'] as const)
      for (let index = 0; index < this[name].length; index++)
        (this[name][index] as number) += other[name][index] as number;
    this.watchedS += other.watchedS;
    this.partlyS += other.partlyS;
  }
}

/** @param mask has cells as large as those in which reception is measured */
export function receptionOfHour(hour: StoredHour, mask: CellMask): ReceptionSum {
  const { cells, isIn } = mask;
  const isInside = (column: number, row: number, size: number) => isIn[indexIn(cells, column, row, size)] === 1;
  const sum = new ReceptionSum();
  for (let cell = 0; cell < hour.counts.length; cell++) {
    if (!isInside(hour.columns[cell] as number, hour.rows[cell] as number, hour.size)) continue;
    (sum.positions[hour.kinds[cell] as number] as number) += hour.counts[cell] as number;
  }
  Object.assign(sum, watchedMean(hour, mask));
  const measured = measuredOf(hour);
  measured?.keys.forEach((key, cell) => {
    const band = kindOfKey(key);
    if (band >= BANDS || !isInside(columnOfKey(key), rowOfKey(key), measured.size)) return;
    (sum.received[band] as number) += measured.received[cell] as number;
    (sum.followed[band] as number) += (measured.received[cell] as number) + (measured.missed[cell] as number);
  });
  return sum;
}

/** Each reference is followed with the probability 2 ** -sampling. */
function estimated(followed: number, sampling: number, positions: number): Omit<ClassSum, 'positions'> {
  if (sampling === 0 || positions === 0) return { references: followed, referencesError: undefined };
  const weight = 2 ** sampling;
  return { references: followed * weight, referencesError: Math.sqrt(Math.max(1, followed) * weight * (weight - 1)) };
}

function watchedMean({ watched }: StoredHour, { cells, isIn }: CellMask): Pick<HourSum, 'watchedS' | 'partlyS'> {
  const time = new WatchedTime(cells);
  for (const box of watched) time.add(box);
  const { watchedS, partlyS } = time.perCell();
  let [watchedSum, partlySum, count] = [0, 0, 0];
  for (let index = 0; index < isIn.length; index++) {
    if (isIn[index] === 0) continue;
    count++;
    watchedSum += watchedS[index] as number;
    partlySum += partlyS[index] as number;
  }
  return count === 0 ? { watchedS: 0, partlyS: 0 } : { watchedS: watchedSum / count, partlyS: partlySum / count };
}

/** Seconds times area in units, by cell of a box: exact sums of watched boxes, at a fixed cost for each. */
class WatchedTime {
  readonly #cells: CellBox;
  /** Differences along rows and columns; `perCell` adds them up. */
  readonly #watched: Float64Array;
  readonly #partly: Float64Array;

  constructor(cells: CellBox) {
    this.#cells = cells;
    const length = (cells.columns + 1) * (cells.rows + 1);
    this.#watched = new Float64Array(length);
    this.#partly = new Float64Array(length);
  }

  add({ box, watchedS, partlyS }: WatchedBox): void {
    this.#addBox(box, watchedS, partlyS);
    // Cells beyond 180° are those of the next turn.
    const { column, columns, size } = this.#cells;
    if ((column + columns) * 2 ** size <= WORLD_COLUMNS) return;
    this.#addBox({ ...box, west: box.west + WORLD_COLUMNS, east: box.east + WORLD_COLUMNS }, watchedS, partlyS);
  }

  copy(): WatchedTime {
    const copy = new WatchedTime(this.#cells);
    copy.#watched.set(this.#watched);
    copy.#partly.set(this.#partly);
    return copy;
  }

  /** Seconds as the mean over each cell, row by row. */
  perCell(): { readonly watchedS: Float64Array; readonly partlyS: Float64Array } {
    return { watchedS: this.#summed(this.#watched), partlyS: this.#summed(this.#partly) };
  }

  #addBox({ west, south, east, north }: UnitBox, watchedS: number, partlyS: number): void {
    const { size, column, row, columns, rows } = this.#cells;
    const across = overlaps(west, east, column, columns, 2 ** size);
    if (across.length === 0) return;
    for (const [down, height] of overlaps(south, north, row, rows, 2 ** size)) {
      for (const [right, width] of across) {
        const at = down * (columns + 1) + right;
        (this.#watched[at] as number) += height * width * watchedS;
        (this.#partly[at] as number) += height * width * partlyS;
      }
    }
  }

  #summed(differences: Float64Array): Float64Array {
    const { columns, rows, size } = this.#cells;
    const sums = new Float64Array(columns * rows);
    const above = new Float64Array(columns);
    for (let row = 0; row < rows; row++) {
      let along = 0;
      for (let column = 0; column < columns; column++) {
        along += differences[row * (columns + 1) + column] as number;
        above[column] = (above[column] as number) + along;
        sums[row * columns + column] = (above[column] as number) / 4 ** size;
      }
    }
    return sums;
  }
}

/** Differences from cell to cell of how much of each lies between the edges: at most four. */
function overlaps(from: number, to: number, first: number, cells: number, side: number): readonly [number, number][] {
  const start = Math.max(from, first * side) - first * side;
  const end = Math.min(to, (first + cells) * side) - first * side;
  if (start >= end) return [];
  const found: [number, number][] = [];
  let before = 0;
  const overlap = (cell: number) => Math.max(0, Math.min(end, (cell + 1) * side) - Math.max(start, cell * side));
  const [low, high] = [Math.floor(start / side), Math.floor((end - 1) / side)];
  for (const cell of new Set([low, low + 1, high, high + 1])) {
    found.push([cell, overlap(cell) - before]);
    before = overlap(cell);
  }
  return found;
}

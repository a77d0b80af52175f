import { DamagedBytes } from '#lib/columns/bytes.ts';
import { grown } from '#lib/columns/typed-arrays.ts';

const FIRST_SIZE = 64;

/** Numbers distinct integers of up to 53 bits in the order in which they are added. Adding allocates nothing but growth. */
export class NumberTable {
  #numbers: Float64Array;
  /** A hash table with open addressing, at most half full. An entry is an index + 1. */
  #places: Int32Array;
  #size = 0;

  /** @param expected has room for so many before it grows */
  constructor(expected = 0) {
    let size = FIRST_SIZE;
    while (size <= expected) size *= 2;
    this.#numbers = new Float64Array(size);
    this.#places = new Int32Array(2 * size);
  }

  get size(): number {
    return this.#size;
  }

  at(index: number): number {
    return this.#numbers[index] as number;
  }

  /** The index of a number, -1 where it is missing. */
  find(number: number): number {
    return (this.#places[this.#placeOf(number)] as number) - 1;
  }

  /** @returns the index, `size` before if it is new */
  add(number: number): number {
    const place = this.#placeOf(number);
    const known = this.#places[place] as number;
    if (known > 0) return known - 1;
    const index = this.#size++;
    this.#numbers[index] = number;
    this.#places[place] = index + 1;
    if (this.#size === this.#numbers.length) this.#grow();
    return index;
  }

  #placeOf(number: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    let place = mixed(number) & mask;
    for (;;) {
      const known = places[place] as number;
      if (known === 0 || this.#numbers[known - 1] === number) return place;
      place = (place + 1) & mask;
    }
  }

  #grow(): void {
    const numbers = grown(this.#numbers);
    this.#numbers = numbers;
    this.#places = new Int32Array(2 * numbers.length);
    for (let index = 0; index < this.#size; index++) this.#places[this.#placeOf(numbers[index] as number)] = index + 1;
  }
}

function mixed(number: number): number {
  const high = (number / 4_294_967_296) | 0;
  let hash = Math.imul((number | 0) ^ Math.imul(high, 2_654_435_761), 1_597_334_677);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return hash ^ (hash >>> 13);
}

/** The largest grid; more places are numbered by hash. */
const GRID_MAX = 2 ** 21;
/** A cell's number + 1 by place. All are 0 between two uses. */
let grid = new Int32Array(0);

export interface CellExtent {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
  /** Kinds of position, which are numbered from 0. */
  readonly kinds: number;
}

/**
 * Numbers cells in the order in which they first occur. A place is a number of column, row and kind, so steps between
 * cells are added to it. A grid is several times as fast as hashes.
 */
export class CellNumbers {
  /** The place of column 0, row 0 and kind 0, which may be outside. */
  readonly origin: number;
  readonly #extent: CellExtent;
  readonly #area: number;
  readonly #places: Uint32Array;
  readonly #table: NumberTable | undefined;
  #size = 0;

  /** @param places memory for each cell @throws DamagedBytes for more cells than the extent has */
  constructor(extent: CellExtent, places: Uint32Array) {
    this.#extent = extent;
    this.#area = extent.columns * extent.rows;
    this.#places = places;
    this.origin = -this.stepOf(extent.column, extent.row, 0);
    const length = this.#area * extent.kinds;
    if (places.length > length) throw new DamagedBytes('an extent of fewer cells');
    this.#table = length > GRID_MAX ? new NumberTable(places.length) : undefined;
    if (!this.#table && grid.length < length) grid = new Int32Array(length);
  }

  /** Whether places are small integers. */
  get isGrid(): boolean {
    return this.#table === undefined;
  }

  stepOf(columns: number, rows: number, kinds: number): number {
    return kinds * this.#area + rows * this.#extent.columns + columns;
  }

  add(place: number): number {
    const known = this.#table ? this.#table.find(place) + 1 : (grid[place] as number);
    if (known > 0) return known - 1;
    const cell = this.#size++;
    if (this.#table) return this.#table.add(place);
    this.#places[cell] = place;
    grid[place] = cell + 1;
    return cell;
  }

  /** Callers call it after the last cell, also after an error. */
  clear(): void {
    if (this.#table) return;
    // Cells are visited by index: an iterator makes garbage for each of 20,000 cells.
    for (let cell = 0; cell < this.#size; cell++) grid[this.#places[cell] as number] = 0;
  }

  /** @throws DamagedBytes if cells are missing, or outside the extent */
  fill(columns: Uint32Array, rows: Uint32Array, kinds: Uint32Array): void {
    if (this.#size !== this.#places.length) throw new DamagedBytes(`${this.#size} cells of ${this.#places.length}`);
    const { column, row, columns: width, kinds: kindCount } = this.#extent;
    for (let cell = 0; cell < this.#size; cell++) {
      const place = this.#table ? this.#table.at(cell) : (this.#places[cell] as number);
      if (!(place >= 0 && place < this.#area * kindCount)) throw new DamagedBytes('a cell outside its extent');
      const kind = Math.floor(place / this.#area);
      const inKind = place - kind * this.#area;
      const down = Math.floor(inKind / width);
      columns[cell] = column + inKind - down * width;
      rows[cell] = row + down;
      kinds[cell] = kind;
    }
  }
}

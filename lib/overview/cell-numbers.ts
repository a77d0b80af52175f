import { NumberTable } from './number-table.ts';

const GRID_MAX = 2 ** 21;
/** By place: number + 1. All 0 between two uses. */
let grid = new Int32Array(0);

export interface CellExtent {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
  /** From 0. */
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

  /** @param places memory for each cell @throws RangeError for more cells than the extent has */
  constructor(extent: CellExtent, places: Uint32Array) {
    this.#extent = extent;
    this.#area = extent.columns * extent.rows;
    this.#places = places;
    this.origin = -this.stepOf(extent.column, extent.row, 0);
    const length = this.#area * extent.kinds;
    if (places.length > length) throw new RangeError('the extent is too small');
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

  /** To be called after the last cell, also after an error. */
  clear(): void {
    if (!this.#table) for (const place of this.#places.subarray(0, this.#size)) grid[place] = 0;
  }

  /** @throws RangeError if cells are missing */
  fill(columns: Uint32Array, rows: Uint32Array, kinds: Uint32Array): void {
    if (this.#size !== this.#places.length) throw new RangeError('cells are missing');
    const { column, row, columns: width } = this.#extent;
    for (let cell = 0; cell < this.#size; cell++) {
      const place = this.#table ? this.#table.at(cell) : (this.#places[cell] as number);
      const kind = Math.floor(place / this.#area);
      const inKind = place - kind * this.#area;
      const down = Math.floor(inKind / width);
      columns[cell] = column + inKind - down * width;
      rows[cell] = row + down;
      kinds[cell] = kind;
    }
  }
}

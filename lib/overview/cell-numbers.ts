import { cellKey } from './hour-tally.ts';
import { NumberTable } from './number-table.ts';

const PLACES_MAX = 2 ** 21;
/** Number + 1; all 0 between two uses. */
let places = new Int32Array(0);

export interface CellExtent {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
  /** From 0. */
  readonly kinds: number;
}

/** Numbers cells in the order in which they first occur. A grid is five times as fast as hashes. To be cleared before the next. */
export class CellNumbers {
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly kinds: Uint8Array;
  readonly #width: number;
  readonly #area: number;
  /** Place of column 0, row 0 and kind 0. */
  readonly #origin: number;
  readonly #table: NumberTable | undefined;
  #size = 0;

  /** @throws RangeError for more cells than the extent has */
  constructor(extent: CellExtent, expected: number) {
    const length = extent.columns * extent.rows * extent.kinds;
    if (expected > length) throw new RangeError('more cells than places');
    this.columns = new Int32Array(expected);
    this.rows = new Int32Array(expected);
    this.kinds = new Uint8Array(expected);
    this.#width = extent.columns;
    this.#area = extent.columns * extent.rows;
    this.#origin = -extent.row * extent.columns - extent.column;
    this.#table = length > PLACES_MAX ? new NumberTable(expected) : undefined;
    if (!this.#table && places.length < length) places = new Int32Array(length);
  }

  add(column: number, row: number, kind: number): number {
    if (this.#table) return this.#numbered(this.#table.add(cellKey(column, row, kind)), column, row, kind);
    const place = this.#placeOf(column, row, kind);
    const known = places[place] as number;
    if (known > 0) return known - 1;
    places[place] = this.#size + 1;
    return this.#numbered(this.#size, column, row, kind);
  }

  clear(): void {
    if (this.#table) return;
    for (let cell = 0; cell < this.#size; cell++)
      places[this.#placeOf(this.columns[cell] as number, this.rows[cell] as number, this.kinds[cell] as number)] = 0;
  }

  #numbered(cell: number, column: number, row: number, kind: number): number {
    if (cell < this.#size) return cell;
    this.columns[cell] = column;
    this.rows[cell] = row;
    this.kinds[cell] = kind;
    this.#size++;
    return cell;
  }

  #placeOf(column: number, row: number, kind: number): number {
    return this.#origin + kind * this.#area + row * this.#width + column;
  }
}

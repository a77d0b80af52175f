import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { AreaReads } from '../area-reads.ts';
import { RECORDS_PER_REQUEST } from './request-cost.ts';

/** How many records an area is expected to have. It learns from every complete read of an area, and requests nothing. */
export class Densities {
  readonly #counts: Readonly<Record<Layer, CountGrid>> = { rid: new CountGrid(), adsb: new CountGrid() };

  constructor(reads: AreaReads) {
    reads.subscribe((event) => {
      if (event.kind === 'read' && event.isComplete)
        this.#counts[event.area.layer].learn(event.area.bbox, event.positions.values());
    });
  }

  expected(layer: Layer, bbox: Bbox): number {
    return this.#counts[layer].expected(bbox);
  }
}

/** A cell is half a degree, the traffic area of a big city. */
const CELLS_PER_DEG = 2;
const COLUMNS = 360 * CELLS_PER_DEG;
const ROWS = 180 * CELLS_PER_DEG;
/** The sums begin with a column and a row of zeros. */
const SUM_COLUMNS = COLUMNS + 1;

/** An unknown area of maximum size (3600 cells, 0.25 each) costs one request. */
const PRIOR = RECORDS_PER_REQUEST / (LIVE_MAX_SPAN_DEG * CELLS_PER_DEG) ** 2;
/** The weight of the newest count: after four refreshes, three quarters of a jump are learnt. */
const NEWEST_WEIGHT = 0.3;

export class CountGrid {
  readonly #counts = new Float64Array(COLUMNS * ROWS).fill(PRIOR);
  /** 1 for each cell that was seen whole at least once. */
  readonly #seen = new Uint8Array(COLUMNS * ROWS);
  /** The sum at column x and row y is that of all counts left of x and below y. */
  readonly #sums = new Float64Array(SUM_COLUMNS * (ROWS + 1));
  /** The first row whose sums are out of date, as are those above it. */
  #oldFromRow = 0;

  /**
   * A partly covered cell's count is a lower bound: it never lowers the cell's.
   * @param bbox does not cross 180°
   * @param points all records of a complete refresh
   */
  learn(bbox: Bbox, points: Iterable<{ readonly lon: number; readonly lat: number }>): void {
    const west = toColumn(bbox.west);
    const east = toColumn(bbox.east);
    const south = toRow(bbox.south);
    const north = toRow(bbox.north);
    const firstColumn = Math.floor(west);
    const firstRow = Math.floor(south);
    const columns = Math.ceil(east) - firstColumn;
    const rows = Math.ceil(north) - firstRow;
    if (columns <= 0 || rows <= 0) return;

    const found = new Float64Array(columns * rows);
    for (const { lon, lat } of points) {
      const column = Math.min(Math.floor(toColumn(lon)), COLUMNS - 1) - firstColumn;
      const row = Math.min(Math.floor(toRow(lat)), ROWS - 1) - firstRow;
      if (column < 0 || column >= columns || row < 0 || row >= rows) continue;
      const cell = row * columns + column;
      found[cell] = (found[cell] as number) + 1;
    }
    for (let row = 0; row < rows; row++) {
      const wholeRow = firstRow + row >= south && firstRow + row + 1 <= north;
      for (let column = 0; column < columns; column++) {
        const isWhole = wholeRow && firstColumn + column >= west && firstColumn + column + 1 <= east;
        const cell = (firstRow + row) * COLUMNS + firstColumn + column;
        this.#learnCell(cell, found[row * columns + column] as number, isWhole);
      }
    }
  }

  #learnCell(cell: number, found: number, isWhole: boolean): void {
    const before = this.#counts[cell] as number;
    if (!isWhole && found <= before) return;
    const learnt = this.#seen[cell] === 1 ? before + (found - before) * NEWEST_WEIGHT : found;
    if (isWhole) this.#seen[cell] = 1;
    if (learnt === before) return;
    this.#counts[cell] = learnt;
    this.#oldFromRow = Math.min(this.#oldFromRow, Math.floor(cell / COLUMNS));
  }

  /** A cell that is partly inside counts proportionally. @param bbox does not cross 180° */
  expected({ west, south, east, north }: Bbox): number {
    if (this.#oldFromRow < ROWS) this.#sumUp();
    const left = toColumn(west);
    const right = toColumn(east);
    const bottom = toRow(south);
    const top = toRow(north);
    return this.#sumTo(right, top) - this.#sumTo(left, top) - this.#sumTo(right, bottom) + this.#sumTo(left, bottom);
  }

  /** The records west of x and south of y, linear between the corners of a cell. */
  #sumTo(x: number, y: number): number {
    const column = Math.min(Math.floor(x), COLUMNS - 1);
    const row = Math.min(Math.floor(y), ROWS - 1);
    const at = row * SUM_COLUMNS + column;
    const sums = this.#sums;
    const across = x - column;
    const below = (sums[at] as number) * (1 - across) + (sums[at + 1] as number) * across;
    const above = (sums[at + SUM_COLUMNS] as number) * (1 - across) + (sums[at + SUM_COLUMNS + 1] as number) * across;
    return below + (above - below) * (y - row);
  }

  #sumUp(): void {
    for (let row = this.#oldFromRow; row < ROWS; row++) {
      let sumOfRow = 0;
      for (let column = 0; column < COLUMNS; column++) {
        sumOfRow += this.#counts[row * COLUMNS + column] as number;
        const at = (row + 1) * SUM_COLUMNS + column + 1;
        this.#sums[at] = (this.#sums[at - SUM_COLUMNS] as number) + sumOfRow;
      }
    }
    this.#oldFromRow = ROWS;
  }
}

function toColumn(lon: number): number {
  return (lon + 180) * CELLS_PER_DEG;
}

function toRow(lat: number): number {
  return (lat + 90) * CELLS_PER_DEG;
}

import { type CellBox, type UnitBox, WORLD_COLUMNS } from './cells.ts';
import type { WatchedBox } from './watched-boxes.ts';

/** Seconds times area in units, by cell of a box: exact sums of boxes, at a fixed cost for each. */
export class WatchedTime {
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

import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';

export const NEAR = 1;
/** The cell touches a zone's box. */
export const TOUCHED = 2;

const CELLS_A_DEGREE = 10;
const COLUMNS = 360 * CELLS_A_DEGREE;
const ROWS = 180 * CELLS_A_DEGREE;
/** Places in a cell by rounding belong to it. */
const ROUNDING_DEG = 1e-6;

/** One byte for each tenth of a degree: most positions read nothing else. */
export class ZoneCells {
  readonly #flags = new Uint8Array(COLUMNS * ROWS);

  mark({ west, south, east, north }: Bbox, flag: typeof NEAR | typeof TOUCHED): void {
    const from = Math.floor((west + 180 - ROUNDING_DEG) * CELLS_A_DEGREE);
    const to = Math.floor((eastPastWest({ west, east }) + 180 + ROUNDING_DEG) * CELLS_A_DEGREE);
    for (let row = rowOf(south - ROUNDING_DEG); row <= rowOf(north + ROUNDING_DEG); row++) {
      for (let column = from; column <= Math.min(to, from + COLUMNS - 1); column++) {
        (this.#flags[row * COLUMNS + ((column + COLUMNS) % COLUMNS)] as number) |= flag;
      }
    }
  }

  /** Both flags for large boxes. Longitudes may be in any turn. */
  around(west: number, south: number, east: number, north: number): number {
    if (east - west > 1 / CELLS_A_DEGREE || north - south > 1 / CELLS_A_DEGREE) return NEAR | TOUCHED;
    const [left, right] = [columnOf(west), columnOf(east)];
    const [bottom, top] = [rowOf(south) * COLUMNS, rowOf(north) * COLUMNS];
    const flags = this.#flags;
    if (left === right && bottom === top) return flags[bottom + left] as number;
    return (
      (flags[bottom + left] as number) |
      (flags[bottom + right] as number) |
      (flags[top + left] as number) |
      (flags[top + right] as number)
    );
  }
}

function columnOf(lon: number): number {
  const column = Math.floor((lon + 180) * CELLS_A_DEGREE) % COLUMNS;
  return column < 0 ? column + COLUMNS : column;
}

function rowOf(lat: number): number {
  return Math.max(0, Math.min(ROWS - 1, Math.floor((lat + 90) * CELLS_A_DEGREE)));
}

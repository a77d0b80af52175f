import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';

/** 280 km high: a box that lies in none of these cells and in none next to them is clearly elsewhere. */
const CELL_DEG = 2.5;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;
/** Fewer positions may be of the one track that just passes, or a wrong one. */
const POSITIONS_MIN = 20;

interface Heard {
  readonly cells: Uint8Array;
  positions: number;
}

/** The cells in which each feed had positions since the start, in 10 KB a feed and layer. */
export class Reach {
  readonly #heard = new Map<string, Heard>();

  note(feed: string, layer: Layer, lon: number, lat: number): void {
    const key = `${layer} ${feed}`;
    let heard = this.#heard.get(key);
    if (!heard) {
      heard = { cells: new Uint8Array(COLUMNS * ROWS), positions: 0 };
      this.#heard.set(key, heard);
    }
    heard.positions += 1;
    heard.cells[rowOf(lat) * COLUMNS + columnOf(lon)] = 1;
  }

  /** Undefined while it is not known. At most 225 cells of a live request's box. */
  touches(feed: string, layer: Layer, bbox: Bbox): boolean | undefined {
    const heard = this.#heard.get(`${layer} ${feed}`);
    if (!heard || heard.positions < POSITIONS_MIN) return undefined;
    const east = eastPastWest(bbox);
    const [first, last] = [Math.floor(bbox.west / CELL_DEG) - 1, Math.floor(east / CELL_DEG) + 1];
    const columns = Math.min(COLUMNS, last - first + 1);
    const [bottom, top] = [Math.max(0, rowOf(bbox.south) - 1), Math.min(ROWS - 1, rowOf(bbox.north) + 1)];
    for (let row = bottom; row <= top; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        if (heard.cells[row * COLUMNS + wrapped(first + column + COLUMNS / 2)] === 1) return true;
      }
    }
    return false;
  }
}

function rowOf(lat: number): number {
  return Math.min(ROWS - 1, Math.floor((lat + 90) / CELL_DEG));
}

function columnOf(lon: number): number {
  return wrapped(Math.floor((lon + 180) / CELL_DEG));
}

function wrapped(column: number): number {
  return ((column % COLUMNS) + COLUMNS) % COLUMNS;
}

import type { LonLat, Ring } from './planar-ring.ts';

/** Row by row from north to south; 1 is water. The margin is land. */
export interface LakeMask {
  readonly columns: number;
  readonly rows: number;
  readonly cells: Uint8Array;
  /** In cells from the north-western corner. */
  toLonLat(column: number, row: number): LonLat;
}

/** About 500 m, the resolution of the source. Cells are square on the ground. */
const CELL_DEG = 0.0045;

/** Closes gaps of up to 2 km: the source has them between pieces of one lake. */
const CLOSING_CELLS = 2;

/** Above this, the gaps are land between many small lakes, as in the tundra. */
const CLOSING_GROWTH_MAX = 1.4;

export const CELL_AREA_KM2 = (CELL_DEG * 111.2) ** 2;

const MARGIN_CELLS = CLOSING_CELLS + 2;

export function lakeMask(pieces: readonly (readonly Ring[])[]): LakeMask {
  const { west, south, east, north } = bounds(pieces);
  const cellHeight = CELL_DEG;
  const cellWidth = CELL_DEG / Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180);
  const columns = Math.ceil((east - west) / cellWidth) + 2 * MARGIN_CELLS;
  const rows = Math.ceil((north - south) / cellHeight) + 2 * MARGIN_CELLS;
  const left = west - MARGIN_CELLS * cellWidth;
  const top = north + MARGIN_CELLS * cellHeight;

  const filled = new Uint8Array(columns * rows);
  for (const rings of pieces) {
    const inCells = rings.map((ring) =>
      ring.map(([lon, lat]): [number, number] => [(lon - left) / cellWidth, (top - lat) / cellHeight]),
    );
    fill(filled, columns, inCells);
  }
  const closed = spread(spread(filled, columns, rows, 1), columns, rows, 0);
  return {
    columns,
    rows,
    cells: waterCells(closed) > CLOSING_GROWTH_MAX * waterCells(filled) ? filled : closed,
    toLonLat: (column, row) => [left + column * cellWidth, top - row * cellHeight],
  };
}

function waterCells(cells: Uint8Array): number {
  let count = 0;
  for (const cell of cells) count += cell;
  return count;
}

function fill(cells: Uint8Array, columns: number, rings: readonly (readonly [number, number])[][]): void {
  let firstRow = Number.POSITIVE_INFINITY;
  let lastRow = Number.NEGATIVE_INFINITY;
  for (const [, row] of rings[0]!) {
    firstRow = Math.min(firstRow, row);
    lastRow = Math.max(lastRow, row);
  }
  for (let row = Math.floor(firstRow); row <= lastRow; row++) {
    const centre = row + 0.5;
    const crossings: number[] = [];
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) {
        const [fromColumn, fromRow] = ring[i - 1]!;
        const [toColumn, toRow] = ring[i]!;
        if (fromRow > centre === toRow > centre) continue;
        crossings.push(fromColumn + ((centre - fromRow) / (toRow - fromRow)) * (toColumn - fromColumn));
      }
    }
    crossings.sort((a, b) => a - b);
    for (let i = 1; i < crossings.length; i += 2) {
      const start = Math.round(crossings[i - 1]!);
      cells.fill(1, row * columns + start, row * columns + Math.max(start, Math.round(crossings[i]!)));
    }
  }
}

function spread(cells: Uint8Array, columns: number, rows: number, value: 0 | 1): Uint8Array {
  return spreadAlong(spreadAlong(cells, columns, rows, 1, columns, value), rows, columns, columns, 1, value);
}

function spreadAlong(
  cells: Uint8Array,
  length: number,
  lines: number,
  step: number,
  lineStep: number,
  value: 0 | 1,
): Uint8Array {
  const result = new Uint8Array(cells.length).fill(1 - value);
  for (let line = 0; line < lines; line++) {
    let lastSeen = Number.NEGATIVE_INFINITY;
    let written = 0;
    for (let i = 0; i < length; i++) {
      if (cells[line * lineStep + i * step] === value) {
        lastSeen = i;
        for (let back = Math.max(written, i - CLOSING_CELLS); back < i; back++) {
          result[line * lineStep + back * step] = value;
        }
      }
      if (i - lastSeen <= CLOSING_CELLS) {
        result[line * lineStep + i * step] = value;
        written = i + 1;
      }
    }
  }
  return result;
}

function bounds(pieces: readonly (readonly Ring[])[]): { west: number; south: number; east: number; north: number } {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [outline] of pieces) {
    for (const [lon, lat] of outline!) {
      west = Math.min(west, lon);
      east = Math.max(east, lon);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
  }
  return { west, south, east, north };
}

import { type Bbox, crossesAntimeridian } from '#lib/geo/bbox.ts';
import { extentsTouch } from './extent.ts';
import type { Track } from './track.ts';

const CELL_DEG = 5;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;

/** Calls `visit` with the index of every track that has an extent touching the box, in ascending order. */
export type ForEachNear = (bbox: Bbox, visit: (index: number) => void) => void;

/** Indexes tracks by cells of the world, so that a small box does not cost a check of every track. */
export function indexTracks(tracks: readonly Track[]): ForEachNear {
  const tracksOfCell: number[][] = Array.from({ length: COLUMNS * ROWS }, () => []);
  for (const [index, { extents }] of tracks.entries()) {
    for (const extent of extents) {
      forEachCell(extent, (cell) => {
        const inCell = tracksOfCell[cell]!;
        if (inCell.at(-1) !== index) inCell.push(index);
      });
    }
  }
  const candidates = new Uint8Array(tracks.length);

  return (bbox, visit) => {
    candidates.fill(0);
    forEachCell(bbox, (cell) => {
      for (const index of tracksOfCell[cell]!) candidates[index] = 1;
    });
    for (let index = candidates.indexOf(1); index !== -1; index = candidates.indexOf(1, index + 1)) {
      if (touches(tracks[index]!, bbox)) visit(index);
    }
  };
}

function touches({ extents }: Track, bbox: Bbox): boolean {
  for (const extent of extents) if (extentsTouch(extent, bbox)) return true;
  return false;
}

/**
 * Calls `visit` with each cell that the box touches; a cell may come twice. 180° is the west edge of the first column.
 */
function forEachCell(bbox: Bbox, visit: (cell: number) => void): void {
  const columnOf = (lon: number) => Math.floor((lon + 180) / CELL_DEG);
  const rowOf = (lat: number) => Math.min(ROWS - 1, Math.floor((lat + 90) / CELL_DEG));
  const lastColumn = columnOf(bbox.east) + (crossesAntimeridian(bbox) ? COLUMNS : 0);
  for (let row = rowOf(bbox.south); row <= rowOf(bbox.north); row++) {
    for (let column = columnOf(bbox.west); column <= lastColumn; column++) visit(row * COLUMNS + (column % COLUMNS));
  }
}

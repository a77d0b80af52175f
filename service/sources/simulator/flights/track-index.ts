import { type Bbox, crossesAntimeridian } from '#lib/geo/bbox.ts';
import { extentsTouch } from './extent.ts';
import type { Track } from './track.ts';

const CELL_DEG = 5;
const COLUMNS = 360 / CELL_DEG;
const ROWS = 180 / CELL_DEG;

/** Calls `visit` with the place in the list of every track that has an extent that touches the box, in ascending order. */
export type ForEachNear = (bbox: Bbox, visit: (index: number) => void) => void;

/** By cells of the world, so that a small box costs no look at every track. */
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
  const asked = new Uint8Array(tracks.length);

  return (bbox, visit) => {
    asked.fill(0);
    forEachCell(bbox, (cell) => {
      for (const index of tracksOfCell[cell]!) asked[index] = 1;
    });
    for (let index = asked.indexOf(1); index !== -1; index = asked.indexOf(1, index + 1)) {
      if (touches(tracks[index]!, bbox)) visit(index);
    }
  };
}

function touches({ extents }: Track, bbox: Bbox): boolean {
  for (const extent of extents) if (extentsTouch(extent, bbox)) return true;
  return false;
}

/** The cells that the box touches; one may come twice. 180° is the west edge of the first column. */
function forEachCell(bbox: Bbox, visit: (cell: number) => void): void {
  const columnOf = (lon: number) => Math.floor((lon + 180) / CELL_DEG);
  const rowOf = (lat: number) => Math.min(ROWS - 1, Math.floor((lat + 90) / CELL_DEG));
  const lastColumn = columnOf(bbox.east) + (crossesAntimeridian(bbox) ? COLUMNS : 0);
  for (let row = rowOf(bbox.south); row <= rowOf(bbox.north); row++) {
    for (let column = columnOf(bbox.west); column <= lastColumn; column++) visit(row * COLUMNS + (column % COLUMNS));
  }
}

import { contours } from 'd3-contour';
import { lakeMask } from './lake-mask.ts';
import { type Ring, signedArea } from './planar-ring.ts';

/**
 * Each result is the outer ring, then islands. Drops shapes under `areaMinCells` cells. The cost grows with the area
 * of the pieces' common box.
 */
export function lakeOutlines(pieces: readonly (readonly Ring[])[], areaMinCells: number): Ring[][] {
  const mask = lakeMask(pieces);
  const smoothed = smoothedAlong(smoothedAlong(new Float32Array(mask.cells), 1), mask.columns);
  const contour = contours()
    .size([mask.columns, mask.rows])
    .contour(smoothed as unknown as number[], 0.5);
  const isLarge = (ring: Ring) => Math.abs(signedArea(ring)) >= areaMinCells;
  return (contour.coordinates as unknown as Ring[][])
    .filter(([outline]) => isLarge(outline!))
    .map((rings) =>
      rings.filter(isLarge).map((ring) => everyOther(ring).map(([column, row]) => mask.toLonLat(column, row))),
    );
}

/** A contour has a point at every side of a cell. */
function everyOther(ring: Ring): Ring {
  return ring.filter((_, i) => i % 2 === 0 || i === ring.length - 1);
}

function smoothedAlong(cells: Float32Array, step: number): Float32Array {
  const result = new Float32Array(cells.length);
  for (let i = step; i < cells.length - step; i++) {
    result[i] = (cells[i - step]! + 2 * cells[i]! + cells[i + step]!) / 4;
  }
  return result;
}

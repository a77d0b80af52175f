import { contours } from 'd3-contour';
import { lakeMask } from './lake-mask.ts';
import { type Ring, signedArea } from './planar-ring.ts';

/**
 * Smooth outlines of lakes that come in angular pieces: each result is one lake, outer ring first, then its islands. Lakes and
 * islands smaller than `areaMinCells` cells of a lake mask are left out. Pieces must lie close together, for the work grows
 * with the area around them all.
 */
export function lakeOutlines(pieces: readonly (readonly Ring[])[], areaMinCells: number): Ring[][] {
  const mask = lakeMask(pieces);
  const softened = softenedAlong(softenedAlong(new Float32Array(mask.cells), 1), mask.columns);
  const contour = contours()
    .size([mask.columns, mask.rows])
    .contour(softened as unknown as number[], 0.5);
  const isLarge = (ring: Ring) => Math.abs(signedArea(ring)) >= areaMinCells;
  return (contour.coordinates as unknown as Ring[][])
    .filter(([outline]) => isLarge(outline!))
    .map((rings) =>
      rings.filter(isLarge).map((ring) => everyOther(ring).map(([column, row]) => mask.toLonLat(column, row))),
    );
}

/** The ring closed as before, with half the points: a contour has one at every side of a cell, closer than its course bends. */
function everyOther(ring: Ring): Ring {
  return ring.filter((_, i) => i % 2 === 0 || i === ring.length - 1);
}

/** Each cell a half of itself and a quarter of its neighbours in the direction of `step`. */
function softenedAlong(cells: Float32Array, step: number): Float32Array {
  const result = new Float32Array(cells.length);
  for (let i = step; i < cells.length - step; i++) {
    result[i] = (cells[i - step]! + 2 * cells[i]! + cells[i + step]!) / 4;
  }
  return result;
}

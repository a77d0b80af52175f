import { dashesRound } from '#components/ui/mark-measures.ts';
import type { Silhouette, SymbolPoint } from '#components/ui/silhouettes.ts';

/** The field covers a square of this half side around the mark's position, in symbol pixels. */
export const FIELD_HALF_PX = 15;
/** Distances are clamped to this: the outermost line and halo end before it. */
export const FIELD_RANGE_PX = 6;
/** Texels per side: about a third of a symbol pixel each, so that marks stay sharp at three device pixels per symbol pixel. */
export const FIELD_SIZE = 80;

/**
 * Four bytes per texel, rows from the top: signed distance to the outline (negative inside), cosine and sine of the dash phase at the
 * nearest point of the outline, and signed distance to the cut-outs. Each is −1…1 mapped to 0…255; distances are in units of
 * `FIELD_RANGE_PX`. A whole number of dashes goes round the outline, one of them centred on the nose.
 */
export function markDistanceField(silhouette: Silhouette): Uint8Array {
  const field = new Uint8Array(FIELD_SIZE * FIELD_SIZE * 4);
  const outline = edgesOf(silhouette.outline);
  const cutouts = silhouette.cutouts.map(edgesOf);
  const radiansPerPx = (2 * Math.PI * dashesRound(outline.lengthPx)) / outline.lengthPx;
  const texelPx = (2 * FIELD_HALF_PX) / FIELD_SIZE;
  for (let row = 0; row < FIELD_SIZE; row++) {
    for (let column = 0; column < FIELD_SIZE; column++) {
      const x = (column + 0.5) * texelPx - FIELD_HALF_PX;
      const y = (row + 0.5) * texelPx - FIELD_HALF_PX;
      const edge = nearestOnPolygon(outline, x, y);
      const phase = edge.alongPx * radiansPerPx;
      let cut = FIELD_RANGE_PX;
      for (const cutout of cutouts) cut = Math.min(cut, nearestOnPolygon(cutout, x, y).distancePx);
      const at = (row * FIELD_SIZE + column) * 4;
      field[at] = signedByte(edge.distancePx / FIELD_RANGE_PX);
      field[at + 1] = signedByte(Math.cos(phase));
      field[at + 2] = signedByte(Math.sin(phase));
      field[at + 3] = signedByte(cut / FIELD_RANGE_PX);
    }
  }
  return field;
}

/** Signed distance in symbol pixels from a point to a closed polygon; negative inside. */
export function signedDistancePx(polygon: readonly SymbolPoint[], x: number, y: number): number {
  return nearestOnPolygon(edgesOf(polygon), x, y).distancePx;
}

interface Edges {
  /** Five numbers per edge: from x, from y, to x, to y, length of the outline before it. */
  readonly numbers: Float64Array;
  readonly lengthPx: number;
}

function edgesOf(polygon: readonly SymbolPoint[]): Edges {
  const numbers = new Float64Array(polygon.length * 5);
  let lengthPx = 0;
  polygon.forEach(([x, y], index) => {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length]!;
    numbers.set([x, y, nextX, nextY, lengthPx], index * 5);
    lengthPx += Math.hypot(nextX - x, nextY - y);
  });
  return { numbers, lengthPx };
}

function nearestOnPolygon({ numbers }: Edges, x: number, y: number): { distancePx: number; alongPx: number } {
  let nearestSquare = Number.POSITIVE_INFINITY;
  let alongPx = 0;
  let isInside = false;
  for (let at = 0; at < numbers.length; at += 5) {
    const fromX = x - numbers[at]!;
    const fromY = y - numbers[at + 1]!;
    const vectorX = numbers[at + 2]! - numbers[at]!;
    const vectorY = numbers[at + 3]! - numbers[at + 1]!;
    const square = vectorX * vectorX + vectorY * vectorY;
    const part = Math.min(1, Math.max(0, (fromX * vectorX + fromY * vectorY) / square));
    const distanceSquare = (fromX - vectorX * part) ** 2 + (fromY - vectorY * part) ** 2;
    if (distanceSquare < nearestSquare) {
      nearestSquare = distanceSquare;
      alongPx = numbers[at + 4]! + Math.sqrt(square) * part;
    }
    // Even-odd rule: does a ray to the right cross this edge? The comparison is half-open, so that a corner counts for one edge only.
    const crossesRow = numbers[at + 1]! > y !== numbers[at + 3]! > y;
    if (crossesRow && fromX < (vectorX * fromY) / vectorY) isInside = !isInside;
  }
  const distancePx = Math.sqrt(nearestSquare);
  return { distancePx: isInside ? -distancePx : distancePx, alongPx };
}

function signedByte(value: number): number {
  return Math.round((Math.min(1, Math.max(-1, value)) * 0.5 + 0.5) * 255);
}

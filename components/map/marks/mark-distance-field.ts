import { dashesRound } from '#components/ui/marks/mark-measures.ts';
import type { Silhouette, SymbolPoint } from '#components/ui/marks/silhouettes.ts';

/** Half side of the field's square, in symbol pixels. */
export const FIELD_HALF_PX = 15;
/** The field has distances up to this one, beyond the outermost halo. */
export const FIELD_RANGE_PX = 6;
/** A texel is a third of a symbol pixel: sharp at three device pixels per symbol pixel. */
export const FIELD_SIZE = 80;

const TEXELS = FIELD_SIZE * FIELD_SIZE;
const TEXEL_PX = (2 * FIELD_HALF_PX) / FIELD_SIZE;

export const FIELD_CHANNELS = 3;

/**
 * Rows from the top; per texel three values, each −1…1 mapped to 0…255: signed distance to the outline, cosine and sine of
 * the dash phase (the nose's beyond the range). Distances are negative inside, in units of `FIELD_RANGE_PX`.
 * Whole dashes go round, one centred on the nose.
 */
export function markDistanceField(silhouette: Silhouette): Uint8Array {
  const edges = edgesOf(silhouette.outline);
  const outline = nearestInRange(edges);
  const radiansPerPx = (2 * Math.PI * dashesRound(edges.lengthPx)) / edges.lengthPx;
  const field = new Uint8Array(TEXELS * FIELD_CHANNELS);
  for (let texel = 0; texel < TEXELS; texel++) {
    const phase = outline.alongPx[texel]! * radiansPerPx;
    const at = texel * FIELD_CHANNELS;
    field[at] = signedByte(outline.distancePx[texel]! / FIELD_RANGE_PX);
    field[at + 1] = signedByte(Math.cos(phase));
    field[at + 2] = signedByte(Math.sin(phase));
  }
  return field;
}

interface Nearest {
  /** Signed distance to the nearest edge per texel, clamped to the range. */
  readonly distancePx: Float64Array;
  readonly alongPx: Float64Array;
}

/** Visits only the texels in each edge's range, a sixth of all, since the first picture waits for it. */
function nearestInRange({ numbers }: Edges): Nearest {
  const nearestSquare = new Float64Array(TEXELS).fill(FIELD_RANGE_PX ** 2);
  const alongPx = new Float64Array(TEXELS);
  const isInside = new Uint8Array(TEXELS);
  for (let at = 0; at < numbers.length; at += 5) {
    const fromX = numbers[at]!;
    const fromY = numbers[at + 1]!;
    const vectorX = numbers[at + 2]! - fromX;
    const vectorY = numbers[at + 3]! - fromY;
    const beforePx = numbers[at + 4]!;
    const square = vectorX * vectorX + vectorY * vectorY;
    const lengthPx = Math.sqrt(square);
    const firstColumn = texelFrom(Math.min(fromX, fromX + vectorX) - FIELD_RANGE_PX);
    const columnsEnd = texelFrom(Math.max(fromX, fromX + vectorX) + FIELD_RANGE_PX);
    const rowsEnd = texelFrom(Math.max(fromY, fromY + vectorY) + FIELD_RANGE_PX);
    for (let row = texelFrom(Math.min(fromY, fromY + vectorY) - FIELD_RANGE_PX); row < rowsEnd; row++) {
      const y = middlePx(row) - fromY;
      for (let column = firstColumn; column < columnsEnd; column++) {
        const x = middlePx(column) - fromX;
        const part = Math.min(1, Math.max(0, (x * vectorX + y * vectorY) / square));
        const awayX = x - vectorX * part;
        const awayY = y - vectorY * part;
        const awaySquare = awayX * awayX + awayY * awayY;
        const texel = row * FIELD_SIZE + column;
        if (awaySquare >= nearestSquare[texel]!) continue;
        nearestSquare[texel] = awaySquare;
        alongPx[texel] = beforePx + lengthPx * part;
      }
      if (y < 0 === y < vectorY) continue;
      const leftEnd = texelFrom(fromX + (vectorX * y) / vectorY);
      for (let column = 0; column < leftEnd; column++) isInside[row * FIELD_SIZE + column]! ^= 1;
    }
  }
  return { distancePx: nearestSquare.map((it, texel) => (isInside[texel] ? -Math.sqrt(it) : Math.sqrt(it))), alongPx };
}

function texelFrom(px: number): number {
  return Math.max(0, Math.min(FIELD_SIZE, Math.ceil((px + FIELD_HALF_PX) / TEXEL_PX - 0.5)));
}

function middlePx(texel: number): number {
  return (texel + 0.5) * TEXEL_PX - FIELD_HALF_PX;
}

/** @returns the distance to the nearest edge in symbol pixels, negative inside */
export function signedDistancePx(polygon: readonly SymbolPoint[], x: number, y: number): number {
  const { numbers } = edgesOf(polygon);
  let nearestSquare = Number.POSITIVE_INFINITY;
  let isInside = false;
  for (let at = 0; at < numbers.length; at += 5) {
    const fromX = x - numbers[at]!;
    const fromY = y - numbers[at + 1]!;
    const vectorX = numbers[at + 2]! - numbers[at]!;
    const vectorY = numbers[at + 3]! - numbers[at + 1]!;
    const square = vectorX * vectorX + vectorY * vectorY;
    const part = Math.min(1, Math.max(0, (fromX * vectorX + fromY * vectorY) / square));
    nearestSquare = Math.min(nearestSquare, (fromX - vectorX * part) ** 2 + (fromY - vectorY * part) ** 2);
    // The even-odd rule is half-open, so that a corner counts for one edge only.
    const crossesRow = numbers[at + 1]! > y !== numbers[at + 3]! > y;
    if (crossesRow && fromX < (vectorX * fromY) / vectorY) isInside = !isInside;
  }
  return isInside ? -Math.sqrt(nearestSquare) : Math.sqrt(nearestSquare);
}

interface Edges {
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

function signedByte(value: number): number {
  return Math.round((Math.min(1, Math.max(-1, value)) * 0.5 + 0.5) * 255);
}

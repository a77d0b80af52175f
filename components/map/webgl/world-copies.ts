/** Both ends are inclusive: copy `n` is the world shifted `n` widths to the east. */
export interface WorldCopies {
  readonly first: number;
  readonly last: number;
}

/** Bounds the work when the view reaches the horizon. */
const MAX_COPIES_EACH_SIDE = 4;

/**
 * @param matrix column-major, Mercator 0…1 to clip space
 * @param margin fraction of the view's half size, for marks just outside
 */
export function visibleWorldCopies(matrix: ArrayLike<number>, margin: number): WorldCopies {
  const inverse = invertGround(matrix);
  const middle = inverse === undefined ? undefined : mercatorXAt(inverse, 0, 0);
  if (inverse === undefined || middle === undefined) return { first: 0, last: 0 };
  const lowest = Math.floor(middle) - MAX_COPIES_EACH_SIDE;
  const highest = Math.floor(middle) + MAX_COPIES_EACH_SIDE;
  const reach = 1 + margin;
  let west = middle;
  let east = middle;
  for (let corner = 0; corner < 4; corner++) {
    const x = mercatorXAt(inverse, corner & 1 ? reach : -reach, corner & 2 ? reach : -reach);
    if (x === undefined) return { first: lowest, last: highest };
    west = Math.min(west, x);
    east = Math.max(east, x);
  }
  // A position at exactly 180° has x = 1 in its copy: the copy to the west counts if the view begins at its edge.
  return { first: Math.max(lowest, 1 - Math.floor(2 - west)), last: Math.min(highest, Math.floor(east)) };
}

type Rows = readonly [number, number, number, number, number, number];

/** Inverts the matrix from (x, y, 1) on the ground to (clip x, clip y, clip w). */
function invertGround(m: ArrayLike<number>): Rows | undefined {
  const [a, b, c] = [m[0]!, m[4]!, m[12]!];
  const [d, e, f] = [m[1]!, m[5]!, m[13]!];
  const [g, h, i] = [m[3]!, m[7]!, m[15]!];
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  if (determinant === 0 || !Number.isFinite(determinant)) return undefined;
  const rows: Rows = [e * i - f * h, c * h - b * i, b * f - c * e, d * h - e * g, b * g - a * h, a * e - b * d];
  return rows.map((value) => value / determinant) as unknown as Rows;
}

function mercatorXAt(inverse: Rows, clipX: number, clipY: number): number | undefined {
  const perW = inverse[3] * clipX + inverse[4] * clipY + inverse[5];
  return perW > 0 ? (inverse[0] * clipX + inverse[1] * clipY + inverse[2]) / perW : undefined;
}

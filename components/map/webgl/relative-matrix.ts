/**
 * Rebases `matrix` (column-major) in double precision, so that single precision only represents short distances.
 * @returns `target`, overwritten
 */
export function relativeMatrix(
  target: Float32Array,
  matrix: ArrayLike<number>,
  originX: number,
  originY: number,
): Float32Array {
  for (let row = 0; row < 4; row++) {
    const xColumn = matrix[row]!;
    const yColumn = matrix[4 + row]!;
    target[row] = xColumn;
    target[4 + row] = yColumn;
    target[8 + row] = matrix[8 + row]!;
    target[12 + row] = xColumn * originX + yColumn * originY + matrix[12 + row]!;
  }
  return target;
}

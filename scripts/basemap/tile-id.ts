/**
 * Id of a tile in PMTiles v3: all tiles of lower zooms first, then along the zoom's Hilbert curve (PMTiles spec/v3,
 * "Entries"). Exact for zooms up to 26; throws a RangeError for others and for tiles outside the world.
 */
export function tileId(z: number, x: number, y: number): number {
  if (!Number.isInteger(z) || z < 0 || z > 26) throw new RangeError(`zoom ${z} is outside 0…26`);
  const side = 2 ** z;
  if (x < 0 || y < 0 || x >= side || y >= side) throw new RangeError(`tile ${z}/${x}/${y} is outside the world`);

  let id = (4 ** z - 1) / 3;
  let column = x;
  let row = y;
  for (let half = side / 2; half >= 1; half /= 2) {
    const right = column >= half;
    const lower = row >= half;
    id += half * half * (right ? (lower ? 2 : 3) : lower ? 1 : 0);
    if (right) column -= half;
    if (lower) row -= half;
    // The curve is rotated and mirrored in the upper quadrants, so continue in their own axes.
    if (!lower) {
      if (right) {
        column = half - 1 - column;
        row = half - 1 - row;
      }
      [column, row] = [row, column];
    }
  }
  return id;
}

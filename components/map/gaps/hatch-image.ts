/** A square that repeats: stripes from lower left to upper right, with soft edges, as RGBA rows from the top. */
export function hatchImage(
  sizePx: number,
  stripePx: number,
  [red, green, blue]: readonly [number, number, number],
): { width: number; height: number; data: Uint8Array } {
  const data = new Uint8Array(sizePx * sizePx * 4);
  for (let row = 0; row < sizePx; row++) {
    for (let column = 0; column < sizePx; column++) {
      // Across the stripe, from its middle: one stripe in each square, which the next squares go on with.
      const across = Math.abs(((row + column + 1) % sizePx) - sizePx / 2) * Math.SQRT1_2;
      const inside = Math.min(1, Math.max(0, stripePx / 2 - across + 0.5));
      data.set([red, green, blue, Math.round(inside * 255)], (row * sizePx + column) * 4);
    }
  }
  return { width: sizePx, height: sizePx, data };
}

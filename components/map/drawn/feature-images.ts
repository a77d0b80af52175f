/** MapLibre reads 192 of 255 as a shape's edge, and 32 a pixel around it. */
const EDGE = 192;

const PER_PX = 255 / 8;

export interface DistanceImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/**
 * A signed distance field, which MapLibre draws in any colour.
 * @param distance from the edge in pixels, negative inside; the image's middle is 0, 0
 */
export function distanceImage(
  width: number,
  height: number,
  distance: (x: number, y: number) => number,
): DistanceImage {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const px = distance(column + 0.5 - width / 2, row + 0.5 - height / 2);
      data[4 * (row * width + column) + 3] = EDGE - px * PER_PX;
    }
  }
  return { width, height, data };
}

/** Stripes from lower left to upper right, as RGBA rows from the top. */
export function hatchImage(
  sizePx: number,
  stripePx: number,
  [red, green, blue]: readonly [number, number, number],
): { width: number; height: number; data: Uint8Array } {
  const data = new Uint8Array(sizePx * sizePx * 4);
  for (let row = 0; row < sizePx; row++) {
    for (let column = 0; column < sizePx; column++) {
      const across = Math.abs(((row + column + 1) % sizePx) - sizePx / 2) * Math.SQRT1_2;
      const inside = Math.min(1, Math.max(0, stripePx / 2 - across + 0.5));
      data.set([red, green, blue, Math.round(inside * 255)], (row * sizePx + column) * 4);
    }
  }
  return { width: sizePx, height: sizePx, data };
}

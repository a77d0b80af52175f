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

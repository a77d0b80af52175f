const SIDE_PX = 32;
const RADIUS_PX = 10;
/** MapLibre draws what is above 192 of 255, and expects 32 a pixel around it. */
const EDGE = 192;
const PER_PX = 255 / 8;

/** A diamond, which no mark is, as a signed distance field for any colour. */
export function pinImage(): { width: number; height: number; data: Uint8ClampedArray } {
  const data = new Uint8ClampedArray(4 * SIDE_PX * SIDE_PX);
  for (let y = 0; y < SIDE_PX; y++)
    for (let x = 0; x < SIDE_PX; x++) {
      const along = Math.abs(x + 0.5 - SIDE_PX / 2) + Math.abs(y + 0.5 - SIDE_PX / 2);
      const outsidePx = (along - RADIUS_PX) / Math.SQRT2;
      data[4 * (y * SIDE_PX + x) + 3] = EDGE - outsidePx * PER_PX;
    }
  return { width: SIDE_PX, height: SIDE_PX, data };
}

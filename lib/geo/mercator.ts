/** Web Mercator as MapLibre has it: x and y in 0…1 over the world, y growing southwards. */

/** The latitude where the square world ends, in degrees. */
export const MERCATOR_MAX_LAT_DEG = 85.051129;

export function mercatorX(lonDeg: number): number {
  return (lonDeg + 180) / 360;
}

/** Latitudes beyond the square's edge are drawn on the edge. */
export function mercatorY(latDeg: number): number {
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + (latDeg * Math.PI) / 360)) / (2 * Math.PI);
  return Math.min(1, Math.max(0, y));
}

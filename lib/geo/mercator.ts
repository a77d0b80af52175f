/** Web Mercator in MapLibre's coordinates: x and y in 0…1 over the world, y growing southwards. */

/** Latitude of the northern edge of the square world. */
export const MERCATOR_MAX_LAT_DEG = 85.051129;

export function mercatorX(lonDeg: number): number {
  return (lonDeg + 180) / 360;
}

/** Latitudes beyond the square are clamped to its edge. */
export function mercatorY(latDeg: number): number {
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + (latDeg * Math.PI) / 360)) / (2 * Math.PI);
  return Math.min(1, Math.max(0, y));
}

/** Web Mercator in MapLibre's coordinates: x and y in 0…1 over the world, y growing southwards. */

/** Latitude of the northern edge of the square world. */
export const MERCATOR_MAX_LAT_DEG = 85.051129;

export function mercatorX(lonDeg: number): number {
  return (lonDeg + 180) / 360;
}

/** Latitudes beyond the square are clamped to its edge. */
export function mercatorY(latDeg: number): number {
  // The same as log(tan(45° + lat / 2)), in two thirds of the time.
  const sine = Math.sin((latDeg * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return Math.min(1, Math.max(0, y));
}

/** The inverse of `mercatorY`. */
export function mercatorLatDeg(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

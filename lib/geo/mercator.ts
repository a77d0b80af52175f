/** MapLibre's coordinates: 0…1 over the world, y southwards. */

/** The latitude at which the projected world is a square. */
export const MERCATOR_MAX_LAT_DEG = 85.051129;

export function mercatorX(lonDeg: number): number {
  return (lonDeg + 180) / 360;
}

/** The copy of an x within half a world of another one. Both may be beyond 0…1. */
export function nearestX(x: number, nearX: number): number {
  return x + Math.round(nearX - x);
}

export function mercatorY(latDeg: number): number {
  // log(tan(45° + lat / 2)), in two thirds of the time.
  const sine = Math.sin((latDeg * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return Math.min(1, Math.max(0, y));
}

export function mercatorLatDeg(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** Normalises a longitude to [-180, 180). */
export function wrapLongitude(lonDeg: number): number {
  const wrapped = ((((lonDeg + 180) % 360) + 360) % 360) - 180;
  return wrapped === 0 ? 0 : wrapped;
}

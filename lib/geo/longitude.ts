/** To [-180, 180). One that is in it stays, to the last digit. */
export function wrapLongitude(lonDeg: number): number {
  if (lonDeg >= -180 && lonDeg < 180) return lonDeg + 0;
  const wrapped = ((((lonDeg + 180) % 360) + 360) % 360) - 180;
  return wrapped === 0 ? 0 : wrapped;
}

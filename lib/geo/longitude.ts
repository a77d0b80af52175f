// Longitudes in degrees: wraps them, measures the way from one to another, and finds the copy of one that is nearest to
// another. They may run on past ±180, and one already in its range stays exact. Half a turn goes east, by the way and by
// the copy. Never rejects a longitude, except one written in a file (`longitudeOf`).

/** To [-180, 180). One that is in it stays, to the last digit. */
export function wrapLongitude(lonDeg: number): number {
  if (lonDeg >= -180 && lonDeg < 180) return lonDeg + 0;
  const wrapped = ((((lonDeg + 180) % 360) + 360) % 360) - 180;
  return wrapped === 0 ? 0 : wrapped;
}

/** To (-180, 180]: the eastern edge of a box. One at 180 doesn't cross it. */
export function wrapEastEdge(lonDeg: number): number {
  const wrapped = wrapLongitude(lonDeg);
  return wrapped === -180 ? 180 : wrapped;
}

/** Wraps degrees to [0, 360): a bearing, or a way round the globe. */
export function wrapBearing(deg: number): number {
  if (deg >= 0 && deg < 360) return deg + 0;
  return (((deg % 360) + 360) % 360) + 0;
}

/** The way east from one longitude to another: [0, 360). */
export function eastwardDeg(fromLonDeg: number, toLonDeg: number): number {
  return wrapBearing(toLonDeg - fromLonDeg);
}

/** The shorter way from one longitude to another: -180 to 180, positive to the east. */
export function shorterWayDeg(fromLonDeg: number, toLonDeg: number): number {
  return nearestCopy(toLonDeg, fromLonDeg) - fromLonDeg;
}

/** The copy of a longitude within half a turn of another one. */
export function nearestCopy(lonDeg: number, nearDeg: number): number {
  return lonDeg + turnTo(lonDeg, nearDeg);
}

/** The whole turns, in degrees, that bring a longitude nearest to another one. */
export function turnTo(lonDeg: number, nearDeg: number): number {
  const awayDeg = nearDeg - lonDeg;
  // Rounding takes four times as long, and most pairs of every picture are near each other.
  return awayDeg >= -180 && awayDeg < 180 ? 0 : 360 * Math.round(awayDeg / 360);
}

/** 10 cm at the equator: what rounding and other programs' cuts move a position. */
export const SAME_PLACE_DEG = 1e-6;

/**
 * A longitude of a file, which may run on past ±180 to ±360 across the antimeridian. Both -180 and 180 stay.
 * @returns -180 to 180; `undefined` if it is no longitude
 */
export function longitudeOf(writtenDeg: number): number | undefined {
  const beyondDeg = Math.abs(writtenDeg) - 180;
  // 0 instead of -0, which JSON does not have.
  if (beyondDeg <= 0) return writtenDeg + 0;
  if (beyondDeg <= SAME_PLACE_DEG) return Math.sign(writtenDeg) * 180;
  if (!(beyondDeg <= 180)) return undefined;
  // A whole turn costs digits.
  return Number((writtenDeg - Math.sign(writtenDeg) * 360).toFixed(9)) + 0;
}

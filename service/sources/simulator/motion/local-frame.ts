import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';

/**
 * Metres east and north of an origin, in an azimuthal equidistant projection: distance and bearing from the origin are
 * exact at any latitude.
 */
export interface LocalPoint {
  readonly eastM: number;
  readonly northM: number;
}

const rad = Math.PI / 180;

export function fromLocal(origin: LonLat, point: LocalPoint): LonLat {
  return destination(origin, Math.atan2(point.eastM, point.northM) / rad, Math.hypot(point.eastM, point.northM));
}

export function toLocal(origin: LonLat, point: LonLat): LocalPoint {
  const bearing = bearingDeg(origin, point) * rad;
  const distance = distanceM(origin, point);
  return { eastM: distance * Math.sin(bearing), northM: distance * Math.cos(bearing) };
}

/** The point `aheadM` along `headingDeg` and `rightM` to the right of it, from `from`. */
export function offset(from: LocalPoint, headingDeg: number, aheadM: number, rightM: number): LocalPoint {
  const sin = Math.sin(headingDeg * rad);
  const cos = Math.cos(headingDeg * rad);
  return { eastM: from.eastM + aheadM * sin + rightM * cos, northM: from.northM + aheadM * cos - rightM * sin };
}

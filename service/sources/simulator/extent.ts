import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

const rad = Math.PI / 180;

/** The smallest box around all points within `radiusM` of the centre. Round a pole it is the whole circle. */
export function extentAround(centre: LonLat, radiusM: number): Bbox {
  const radiusDeg = radiusM / EARTH_RADIUS_M / rad;
  const south = Math.max(-90, centre.lat - radiusDeg);
  const north = Math.min(90, centre.lat + radiusDeg);
  if (south === -90 || north === 90) return { west: -180, east: 180, south, north };
  const halfSpanDeg = Math.asin(Math.min(1, Math.sin(radiusDeg * rad) / Math.cos(centre.lat * rad))) / rad;
  if (halfSpanDeg >= 90) return { west: -180, east: 180, south, north };
  return { west: wrapLongitude(centre.lon - halfSpanDeg), east: wrapLongitude(centre.lon + halfSpanDeg), south, north };
}

/** Whether two boxes share a point; either may cross 180°. */
export function extentsTouch(a: Bbox, b: Bbox): boolean {
  if (a.south > b.north || b.south > a.north) return false;
  return degreesEast(a.west, b.west) <= lonSpanDeg(a) || degreesEast(b.west, a.west) <= lonSpanDeg(b);
}

/**
 * Whether the point is at most `reachM` from the box; now and then true for one a little further away, never false
 * for one within.
 */
export function isWithinReach(bbox: Bbox, point: LonLat, reachM: number): boolean {
  const reachDeg = reachM / EARTH_RADIUS_M / rad;
  if (point.lat < bbox.south - reachDeg || point.lat > bbox.north + reachDeg) return false;
  const polemost = Math.min(90, Math.max(Math.abs(bbox.south), Math.abs(bbox.north), Math.abs(point.lat)) + reachDeg);
  const lonReachDeg = reachDeg / Math.cos(polemost * rad);
  if (lonSpanDeg(bbox) + 2 * lonReachDeg >= 360) return true;
  return degreesEast(wrapLongitude(bbox.west - lonReachDeg), point.lon) <= lonSpanDeg(bbox) + 2 * lonReachDeg;
}

/** How far east of `from` the meridian `to` lies, in [0, 360). Both lie in [-180, 180]. */
function degreesEast(from: number, to: number): number {
  const difference = to - from;
  return difference < 0 ? difference + 360 : difference === 360 ? 0 : difference;
}

import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { bearingDeg, destination, distanceM, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

const rad = Math.PI / 180;

/**
 * The smallest box that contains all points within `radiusM` of the centre. If they include a pole, it spans all
 * longitudes.
 */
export function extentAround(centre: LonLat, radiusM: number): Bbox {
  const radiusDeg = radiusM / EARTH_RADIUS_M / rad;
  const south = Math.max(-90, centre.lat - radiusDeg);
  const north = Math.min(90, centre.lat + radiusDeg);
  if (south === -90 || north === 90) return { west: -180, east: 180, south, north };
  const halfSpanDeg = Math.asin(Math.min(1, Math.sin(radiusDeg * rad) / Math.cos(centre.lat * rad))) / rad;
  if (halfSpanDeg >= 90) return { west: -180, east: 180, south, north };
  return { west: wrapLongitude(centre.lon - halfSpanDeg), east: wrapLongitude(centre.lon + halfSpanDeg), south, north };
}

/** A long great circle gets one box for each piece of this length. */
const PIECE_M = 200_000;

/** Boxes that together contain every point within `asideM` of the great circle from `a` to `b`, not beyond its ends. */
export function extentsAlong(a: LonLat, b: LonLat, asideM: number): Bbox[] {
  const lengthM = distanceM(a, b);
  const count = Math.ceil(lengthM / PIECE_M);
  return Array.from({ length: count }, (_, piece) => {
    const middle = destination(a, bearingDeg(a, b), (lengthM * (piece + 0.5)) / count);
    return extentAround(middle, Math.hypot(lengthM / count / 2, asideM));
  });
}

/** Whether two boxes share a point; either may cross 180°. */
export function extentsTouch(a: Bbox, b: Bbox): boolean {
  if (a.south > b.north || b.south > a.north) return false;
  return degreesEast(a.west, b.west) <= lonSpanDeg(a) || degreesEast(b.west, a.west) <= lonSpanDeg(b);
}

/**
 * A lower bound of the distance to the box in metres: 0 inside it, and never more than the distance to any point of it.
 */
export function minDistanceM(bbox: Bbox, point: LonLat): number {
  const northwardRad = Math.max(0, bbox.south - point.lat, point.lat - bbox.north) * rad;
  if (degreesEast(bbox.west, point.lon) <= lonSpanDeg(bbox)) return northwardRad * EARTH_RADIUS_M;
  // A path from east or west crosses the meridian of the nearer edge. From 90° away on, its nearest point is a pole.
  const edgeDeg = Math.min(degreesEast(point.lon, bbox.west), degreesEast(bbox.east, point.lon));
  const crossingRad = Math.asin(Math.cos(point.lat * rad) * Math.sin(Math.min(90, edgeDeg) * rad));
  return Math.max(northwardRad, crossingRad) * EARTH_RADIUS_M;
}

/** How far east of `from` the meridian `to` lies, in [0, 360). Both lie in [-180, 180]. */
function degreesEast(from: number, to: number): number {
  const difference = to - from;
  return difference < 0 ? difference + 360 : difference === 360 ? 0 : difference;
}

import { type Bbox, lonSpanDeg } from './bbox.ts';
import { EARTH_RADIUS_M, type LonLat } from './great-circle.ts';

const RAD = Math.PI / 180;

/** A lower bound of the distance to the box in metres: 0 inside it, never more than the distance to a point of it. */
export function minDistanceM(bbox: Bbox, point: LonLat): number {
  const northwardRad = Math.max(0, bbox.south - point.lat, point.lat - bbox.north) * RAD;
  if (degreesEast(bbox.west, point.lon) <= lonSpanDeg(bbox)) return northwardRad * EARTH_RADIUS_M;
  // A path from east or west crosses the meridian of the nearer edge. From 90° away on, its nearest point is a pole.
  const edgeDeg = Math.min(degreesEast(point.lon, bbox.west), degreesEast(bbox.east, point.lon));
  const crossingRad = Math.asin(Math.cos(point.lat * RAD) * Math.sin(Math.min(90, edgeDeg) * RAD));
  return Math.max(northwardRad, crossingRad) * EARTH_RADIUS_M;
}

/** How far east of `from` the meridian `to` lies, in [0, 360). Both lie in [-180, 180]. */
function degreesEast(from: number, to: number): number {
  const difference = to - from;
  return difference < 0 ? difference + 360 : difference === 360 ? 0 : difference;
}

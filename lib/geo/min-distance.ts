import { type Bbox, lonSpanDeg } from './bbox.ts';
import { EARTH_RADIUS_M, type LonLat } from './great-circle.ts';

const RAD = Math.PI / 180;

/** @returns a lower bound, 0 inside */
export function minDistanceM(bbox: Bbox, point: LonLat): number {
  const northwardRad = Math.max(0, bbox.south - point.lat, point.lat - bbox.north) * RAD;
  if (degreesEast(bbox.west, point.lon) <= lonSpanDeg(bbox)) return northwardRad * EARTH_RADIUS_M;
  // A path from the side crosses the meridian of the nearer edge, from 90° away on at a pole.
  const edgeDeg = Math.min(degreesEast(point.lon, bbox.west), degreesEast(bbox.east, point.lon));
  const crossingRad = Math.asin(Math.cos(point.lat * RAD) * Math.sin(Math.min(90, edgeDeg) * RAD));
  return Math.max(northwardRad, crossingRad) * EARTH_RADIUS_M;
}

/** @returns a value in [0, 360) */
function degreesEast(from: number, to: number): number {
  const difference = to - from;
  return difference < 0 ? difference + 360 : difference === 360 ? 0 : difference;
}

import { wrapLongitude } from './longitude.ts';

export interface LonLat {
  readonly lon: number;
  readonly lat: number;
}

/** The mean radius R1 of IUGG. */
export const EARTH_RADIUS_M = 6_371_008.8;

const rad = Math.PI / 180;

/** Uses the haversine formula on a sphere. */
export function distanceM(from: LonLat, to: LonLat): number {
  const sinHalfLat = Math.sin(((to.lat - from.lat) * rad) / 2);
  const sinHalfLon = Math.sin(((to.lon - from.lon) * rad) / 2);
  const h = sinHalfLat ** 2 + Math.cos(from.lat * rad) * Math.cos(to.lat * rad) * sinHalfLon ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Initial bearing, clockwise from north, [0, 360). */
export function bearingDeg(from: LonLat, to: LonLat): number {
  const dLonRad = (to.lon - from.lon) * rad;
  const y = Math.sin(dLonRad) * Math.cos(to.lat * rad);
  const x =
    Math.cos(from.lat * rad) * Math.sin(to.lat * rad) -
    Math.sin(from.lat * rad) * Math.cos(to.lat * rad) * Math.cos(dLonRad);
  return (((Math.atan2(y, x) / rad) % 360) + 360) % 360;
}

/** @param courseDeg initial, clockwise from north */
export function destination(from: LonLat, courseDeg: number, lengthM: number): LonLat {
  const angle = lengthM / EARTH_RADIUS_M;
  const lat1 = from.lat * rad;
  const course = courseDeg * rad;
  const sinLat = Math.sin(lat1) * Math.cos(angle) + Math.cos(lat1) * Math.sin(angle) * Math.cos(course);
  const lat = Math.asin(Math.max(-1, Math.min(1, sinLat)));
  const lon =
    from.lon * rad +
    Math.atan2(Math.sin(course) * Math.sin(angle) * Math.cos(lat1), Math.cos(angle) - Math.sin(lat1) * sinLat);
  return { lon: wrapLongitude(lon / rad), lat: lat / rad };
}

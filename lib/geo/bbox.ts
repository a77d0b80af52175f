import type { LonLat } from './great-circle.ts';

/**
 * A box in WGS84 decimal degrees, edges inclusive. `west > east` means that it crosses 180°;
 * `west === -180 && east === 180` is the whole circle.
 */
export interface Bbox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function crossesAntimeridian(bbox: Bbox): boolean {
  return bbox.west > bbox.east;
}

/** Width in degrees of longitude, 0 to 360. */
export function lonSpanDeg(bbox: Bbox): number {
  return crossesAntimeridian(bbox) ? bbox.east - bbox.west + 360 : bbox.east - bbox.west;
}

/** Height in degrees of latitude, 0 to 180. */
export function latSpanDeg(bbox: Bbox): number {
  return bbox.north - bbox.south;
}

/** Whether the point lies in the box, edges included. -180 and 180 are the same meridian. */
export function bboxContains(bbox: Bbox, lon: number, lat: number): boolean {
  if (!(lat >= bbox.south && lat <= bbox.north)) return false;
  return lonBetween(bbox, lon) || (Math.abs(lon) === 180 && lonBetween(bbox, -lon));
}

function lonBetween(bbox: Bbox, lon: number): boolean {
  return crossesAntimeridian(bbox) ? lon >= bbox.west || lon <= bbox.east : lon >= bbox.west && lon <= bbox.east;
}

/** Whether every point of `inner` lies in `outer`. */
export function bboxCovers(outer: Bbox, inner: Bbox): boolean {
  if (inner.south < outer.south || inner.north > outer.north) return false;
  if (lonSpanDeg(outer) === 360) return true;
  // Edges are compared and never added up: sums of degrees are off in the last digit, and boxes that share an edge are common.
  const afterWest = inner.west >= outer.west;
  const beforeEast = inner.east <= outer.east;
  if (crossesAntimeridian(outer) === crossesAntimeridian(inner)) return afterWest && beforeEast;
  return crossesAntimeridian(outer) && (afterWest || beforeEast);
}

/** `west,south,east,north`, as the contract and the address of `/api/live` write it. */
export function formatBbox(bbox: Bbox): string {
  return [bbox.west, bbox.south, bbox.east, bbox.north].map(plainDecimal).join(',');
}

/** `lon,lat`, as the address of `/api/live` writes a place. */
export function formatLonLat({ lon, lat }: LonLat): string {
  return [lon, lat].map(plainDecimal).join(',');
}

/** At most 7 decimals (about 1 cm) and never an exponent, which a strict reader of decimals refuses. */
function plainDecimal(deg: number): string {
  const rounded = Number(deg.toFixed(7));
  return Math.abs(rounded) < 1e-6 ? (rounded === 0 ? '0' : rounded.toFixed(7)) : String(rounded);
}

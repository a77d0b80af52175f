import type { LonLat } from './great-circle.ts';

/** WGS84 degrees, edges inclusive. `west > east` crosses 180°; -180 to 180 spans all longitudes. */
export interface Bbox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function crossesAntimeridian(bbox: Bbox): boolean {
  return bbox.west > bbox.east;
}

/** The eastern edge as a number that is at least the western one: above 180 where the box crosses 180°. */
export function eastPastWest({ west, east }: Pick<Bbox, 'west' | 'east'>): number {
  return west > east ? east + 360 : east;
}

/** 0 to 360. */
export function lonSpanDeg(bbox: Bbox): number {
  return eastPastWest(bbox) - bbox.west;
}

/** 0 to 180. */
export function latSpanDeg(bbox: Bbox): number {
  return bbox.north - bbox.south;
}

/** In square degrees: a weight, not an area on the ground. */
export function bboxSizeDeg2(bbox: Bbox): number {
  return lonSpanDeg(bbox) * latSpanDeg(bbox);
}

/** Edges included. -180 and 180 are the same meridian. */
export function bboxContains(bbox: Bbox, lonDeg: number, latDeg: number): boolean {
  if (!(latDeg >= bbox.south && latDeg <= bbox.north)) return false;
  return lonBetween(bbox, lonDeg) || (Math.abs(lonDeg) === 180 && lonBetween(bbox, -lonDeg));
}

function lonBetween({ west, east }: Bbox, lonDeg: number): boolean {
  return west > east ? lonDeg >= west || lonDeg <= east : lonDeg >= west && lonDeg <= east;
}

export function bboxCovers(outer: Bbox, inner: Bbox): boolean {
  if (inner.south < outer.south || inner.north > outer.north) return false;
  if (lonSpanDeg(outer) === 360) return true;
  // Compares edges: sums have rounding errors, and boxes often share an edge.
  const afterWest = inner.west >= outer.west;
  const beforeEast = inner.east <= outer.east;
  if (crossesAntimeridian(outer) === crossesAntimeridian(inner)) return afterWest && beforeEast;
  return crossesAntimeridian(outer) && (afterWest || beforeEast);
}

/** `west,south,east,north` */
export function formatBbox(bbox: Bbox): string {
  return [bbox.west, bbox.south, bbox.east, bbox.north].map(plainDecimal).join(',');
}

export function formatLonLat({ lon, lat }: LonLat): string {
  return [lon, lat].map(plainDecimal).join(',');
}

/** 7 decimals are about 1 cm. Strict parsers reject exponents. */
function plainDecimal(deg: number): string {
  const rounded = Number(deg.toFixed(7));
  return Math.abs(rounded) < 1e-6 ? (rounded === 0 ? '0' : rounded.toFixed(7)) : String(rounded);
}

// Boxes of longitudes and latitudes: what they contain, share and leave, and how they are written. A box may cross 180°
// unless a function says that it must not.
import { EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { eastwardDeg } from './longitude.ts';

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

/** @returns 0 to 360 */
export function lonSpanDeg(bbox: Bbox): number {
  return eastPastWest(bbox) - bbox.west;
}

/** @returns 0 to 180 */
export function latSpanDeg(bbox: Bbox): number {
  return bbox.north - bbox.south;
}

/** Square degrees: a weight, not an area on the ground. */
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

/** Edges included; -180 and 180 are the same meridian. Neither box crosses it. */
export function bboxesTouch(one: Bbox, other: Bbox): boolean {
  if (one.south > other.north || other.south > one.north) return false;
  if (one.west <= other.east && other.west <= one.east) return true;
  return (one.west === -180 && other.east === 180) || (one.east === 180 && other.west === -180);
}

/** Boxes that only touch do not overlap. */
export function bboxesOverlap(one: Bbox, other: Bbox): boolean {
  if (lonSpanDeg(one) === 0 || lonSpanDeg(other) === 0) return false;
  return splitAtAntimeridian(one).some((part) =>
    splitAtAntimeridian(other).some((against) => shareArea(part, against)),
  );
}

function shareArea(one: Bbox, other: Bbox): boolean {
  return one.west < other.east && other.west < one.east && one.south < other.north && other.south < one.north;
}

/** Up to four boxes that share no area. Neither input may cross 180°. */
export function subtractBbox(box: Bbox, cut: Bbox): readonly Bbox[] {
  const { west, south, east, north } = box;
  if (cut.west >= east || cut.east <= west || cut.south >= north || cut.north <= south) return [box];
  const bottom = Math.max(south, cut.south);
  const top = Math.min(north, cut.north);
  const left: Bbox[] = [];
  if (bottom > south) left.push({ west, south, east, north: bottom });
  if (top < north) left.push({ west, south: top, east, north });
  if (cut.west > west) left.push({ west, south: bottom, east: cut.west, north: top });
  if (cut.east < east) left.push({ west: cut.east, south: bottom, east, north: top });
  return left;
}

/** Neither may cross 180°. `undefined` if they share no area. */
export function intersectBbox(a: Bbox, b: Bbox): Bbox | undefined {
  const west = Math.max(a.west, b.west);
  const east = Math.min(a.east, b.east);
  const south = Math.max(a.south, b.south);
  const north = Math.min(a.north, b.north);
  return west < east && south < north ? { west, south, east, north } : undefined;
}

/** Omits parts without width. */
export function splitAtAntimeridian(bbox: Bbox): readonly Bbox[] {
  if (!crossesAntimeridian(bbox)) return [bbox];
  if (bbox.west === 180) return [{ ...bbox, west: -180 }];
  if (bbox.east === -180) return [{ ...bbox, east: 180 }];
  return [
    { ...bbox, east: 180 },
    { ...bbox, west: -180 },
  ];
}

export function joinAtAntimeridian(parts: readonly Bbox[]): Bbox | undefined {
  const [first, second] = parts;
  return first && second ? { ...first, east: second.east } : first;
}

/** A GeoJSON ring. Across 180°, longitudes run on, so that no line is drawn along it. */
export function boxRing(bbox: Bbox): [lon: number, lat: number][] {
  const { west, south, north } = bbox;
  const east = eastPastWest(bbox);
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
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

const RAD = Math.PI / 180;

/** @returns a lower bound, 0 inside */
export function minDistanceM(bbox: Bbox, point: LonLat): number {
  const northwardRad = Math.max(0, bbox.south - point.lat, point.lat - bbox.north) * RAD;
  if (eastwardDeg(bbox.west, point.lon) <= lonSpanDeg(bbox)) return northwardRad * EARTH_RADIUS_M;
  // A path from the side crosses the meridian of the nearer edge, from 90° away on at a pole.
  const edgeDeg = Math.min(eastwardDeg(point.lon, bbox.west), eastwardDeg(bbox.east, point.lon));
  const crossingRad = Math.asin(Math.cos(point.lat * RAD) * Math.sin(Math.min(90, edgeDeg) * RAD));
  return Math.max(northwardRad, crossingRad) * EARTH_RADIUS_M;
}

import type { Bbox } from './bbox.ts';
import { destination, distanceM, EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';

export interface Circle {
  readonly kind: 'circle';
  readonly centre: LonLat;
  readonly radiusM: number;
}

/**
 * Without the closing corner. Edges are straight in longitude and latitude, as in GeoJSON, and take the shorter way.
 * Longitudes run on past ±180.
 */
export interface Polygon {
  readonly kind: 'polygon';
  readonly corners: readonly LonLat[];
}

export type Area = Circle | Polygon;

const CIRCLE_RADIUS_MAX_M = 500_000;
export const CORNERS_MAX = 100;
/** Edges of a wider polygon could go either way around the Earth. */
const SPAN_MAX_DEG = 180;
const RAD = Math.PI / 180;
/** About 0.1 mm, far below the precision of a link. */
const ON_EDGE_DEG = 1e-9;

/** @param corners longitudes in any turn */
export function polygonOf(corners: readonly LonLat[]): Polygon {
  let lon = corners[0]?.lon ?? 0;
  return {
    kind: 'polygon',
    corners: corners.map((corner) => {
      const turns = Math.round((lon - corner.lon) / 360);
      // Adding a turn costs digits.
      lon = turns === 0 ? corner.lon : Number((corner.lon + turns * 360).toFixed(9));
      return { lon, lat: corner.lat };
    }),
  };
}

/** Allocates nothing: it runs for every track of every picture. */
export function areaContains(area: Area, lon: number, lat: number): boolean {
  return area.kind === 'circle' ? circleContains(area, lon, lat) : polygonContains(area, lon, lat);
}

function circleContains({ centre, radiusM }: Circle, lon: number, lat: number): boolean {
  // A degree of latitude is as long everywhere: most places need no trigonometry.
  if (Math.abs(lat - centre.lat) * RAD * EARTH_RADIUS_M > radiusM * (1 + 1e-9)) return false;
  const sinHalfLat = Math.sin(((lat - centre.lat) * RAD) / 2);
  const sinHalfLon = Math.sin(((lon - centre.lon) * RAD) / 2);
  const h = sinHalfLat ** 2 + Math.cos(lat * RAD) * Math.cos(centre.lat * RAD) * sinHalfLon ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h))) <= radiusM;
}

function polygonContains({ corners }: Polygon, lonDeg: number, lat: number): boolean {
  const [first] = corners;
  if (!first) return false;
  // Within 180° of the first corner, like the whole polygon.
  const lon = first.lon + wrapLongitude(lonDeg - first.lon);
  let isInside = false;
  for (let index = 0; index < corners.length; index++) {
    const from = corners[index] as LonLat;
    const to = corners[index + 1 === corners.length ? 0 : index + 1] as LonLat;
    if (isOnEdge(from, to, lon, lat)) return true;
    if (from.lat > lat === to.lat > lat) continue;
    const crossesAt = from.lon + ((lat - from.lat) / (to.lat - from.lat)) * (to.lon - from.lon);
    if (lon < crossesAt) isInside = !isInside;
  }
  return isInside;
}

function isOnEdge(from: LonLat, to: LonLat, lon: number, lat: number): boolean {
  const isBeside =
    lat < Math.min(from.lat, to.lat) - ON_EDGE_DEG ||
    lat > Math.max(from.lat, to.lat) + ON_EDGE_DEG ||
    lon < Math.min(from.lon, to.lon) - ON_EDGE_DEG ||
    lon > Math.max(from.lon, to.lon) + ON_EDGE_DEG;
  if (isBeside) return false;
  const across = (to.lon - from.lon) * (lat - from.lat) - (to.lat - from.lat) * (lon - from.lon);
  return Math.abs(across) <= ON_EDGE_DEG * Math.hypot(to.lon - from.lon, to.lat - from.lat);
}

export function areaProblem(area: Area): string | undefined {
  return area.kind === 'circle' ? circleProblem(area) : polygonProblem(area.corners);
}

function circleProblem({ centre, radiusM }: Circle): string | undefined {
  if (!(radiusM >= 1)) return 'A circle has a radius of at least 1 m.';
  if (radiusM > CIRCLE_RADIUS_MAX_M) return `A circle has a radius of at most ${CIRCLE_RADIUS_MAX_M / 1000} km.`;
  const poleM = (90 - Math.abs(centre.lat)) * RAD * EARTH_RADIUS_M;
  return poleM <= radiusM ? 'A circle cannot contain a pole.' : undefined;
}

function polygonProblem(corners: readonly LonLat[]): string | undefined {
  const [first] = corners;
  const last = corners.at(-1);
  if (!first || !last || corners.length < 3) return 'A polygon has at least three corners.';
  if (corners.length > CORNERS_MAX) return `A polygon has at most ${CORNERS_MAX} corners.`;
  if (Math.abs(first.lon - last.lon) > 180) return 'A polygon cannot go around a pole.';
  const lons = corners.map(({ lon }) => lon);
  if (Math.max(...lons) - Math.min(...lons) >= SPAN_MAX_DEG) return `A polygon is less than ${SPAN_MAX_DEG}° wide.`;
  if (crossesItself(corners)) return 'The edges cross each other: move a corner.';
  return undefined;
}

/** Neighbours may only share their corner. */
function crossesItself(corners: readonly LonLat[]): boolean {
  const at = (index: number) => corners[index % corners.length] as LonLat;
  for (let one = 0; one < corners.length; one++) {
    // A neighbour folds back.
    if (at(one).lon === at(one + 1).lon && at(one).lat === at(one + 1).lat) return true;
    if (isOnEdge(at(one), at(one + 1), at(one + 2).lon, at(one + 2).lat)) return true;
    if (isOnEdge(at(one + 1), at(one + 2), at(one).lon, at(one).lat)) return true;
    for (let other = one + 2; other < corners.length; other++) {
      if ((other + 1) % corners.length === one) continue;
      if (segmentsTouch(at(one), at(one + 1), at(other), at(other + 1))) return true;
    }
  }
  return false;
}

function segmentsTouch(a: LonLat, b: LonLat, c: LonLat, d: LonLat): boolean {
  if (side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b)) return true;
  return (
    isOnEdge(a, b, c.lon, c.lat) ||
    isOnEdge(a, b, d.lon, d.lat) ||
    isOnEdge(c, d, a.lon, a.lat) ||
    isOnEdge(c, d, b.lon, b.lat)
  );
}

function side(from: LonLat, to: LonLat, { lon, lat }: LonLat): number {
  return Math.sign((to.lon - from.lon) * (lat - from.lat) - (to.lat - from.lat) * (lon - from.lon));
}

export function areaBbox(area: Area): Bbox {
  if (area.kind === 'polygon') {
    const lons = area.corners.map(({ lon }) => lon);
    const lats = area.corners.map(({ lat }) => lat);
    return boxOf(Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats));
  }
  const { centre, radiusM } = area;
  const angle = radiusM / EARTH_RADIUS_M;
  const latDeg = angle / RAD;
  // A circle's widest parallel is nearer to the pole than its centre.
  const lonDeg = Math.asin(Math.min(1, Math.sin(angle) / Math.cos(centre.lat * RAD))) / RAD;
  return boxOf(centre.lon - lonDeg, centre.lat - latDeg, centre.lon + lonDeg, centre.lat + latDeg);
}

function boxOf(west: number, south: number, east: number, north: number): Bbox {
  const wrappedEast = wrapLongitude(east);
  return { west: wrapLongitude(west), south, east: wrappedEast === -180 ? 180 : wrappedEast, north };
}

/** 0 inside. Accurate to 1 % within 100 km. */
export function distanceToAreaM(area: Area, place: LonLat): number {
  if (area.kind === 'circle') return Math.max(0, distanceM(area.centre, place) - area.radiusM);
  if (areaContains(area, place.lon, place.lat)) return 0;
  const { corners } = area;
  let nearestM = Number.POSITIVE_INFINITY;
  for (let index = 0; index < corners.length; index++) {
    const to = corners[(index + 1) % corners.length] as LonLat;
    nearestM = Math.min(nearestM, distanceToEdgeM(corners[index] as LonLat, to, place));
  }
  return nearestM;
}

/** On a plane that touches the Earth at the place. */
function distanceToEdgeM(from: LonLat, to: LonLat, place: LonLat): number {
  const shrink = Math.cos(place.lat * RAD);
  const x = wrapLongitude(place.lon - from.lon) * shrink;
  const y = place.lat - from.lat;
  const toX = (to.lon - from.lon) * shrink;
  const toY = to.lat - from.lat;
  const lengthSquare = toX ** 2 + toY ** 2;
  const part = lengthSquare === 0 ? 0 : Math.max(0, Math.min(1, (x * toX + y * toY) / lengthSquare));
  const nearest = { lon: from.lon + part * (to.lon - from.lon), lat: from.lat + part * toY };
  return distanceM(place, nearest);
}

/** Straight, the shorter way around the Earth. */
export function lineTouchesArea(area: Area, from: LonLat, to: LonLat): boolean {
  if (areaContains(area, from.lon, from.lat) || areaContains(area, to.lon, to.lat)) return true;
  if (area.kind === 'circle') {
    const end = { lon: from.lon + wrapLongitude(to.lon - from.lon), lat: to.lat };
    return distanceToEdgeM(from, end, area.centre) <= area.radiusM;
  }
  const { corners } = area;
  const lons = corners.map(({ lon }) => lon);
  const middle = (Math.min(...lons) + Math.max(...lons)) / 2;
  const start = { lon: middle + wrapLongitude(from.lon - middle), lat: from.lat };
  const end = { lon: start.lon + wrapLongitude(to.lon - start.lon), lat: to.lat };
  return corners.some((corner, index) =>
    segmentsTouch(corner, corners[(index + 1) % corners.length] as LonLat, start, end),
  );
}

/** Longer edges of a polygon are not quite straight on a Mercator map. */
const DRAWN_DEG = 0.25;

/** A closed line; longitudes run on past 180°. */
export function areaOutline(area: Area): LonLat[] {
  if (area.kind === 'circle') return circleOutline(area);
  const { corners } = area;
  const line = corners.flatMap((from, index) => {
    const to = corners[(index + 1) % corners.length] as LonLat;
    const spanDeg = Math.max(Math.abs(to.lon - from.lon), Math.abs(to.lat - from.lat));
    const pieces = Math.max(1, Math.ceil(spanDeg / DRAWN_DEG));
    return Array.from({ length: pieces }, (_, piece) => ({
      lon: from.lon + ((to.lon - from.lon) * piece) / pieces,
      lat: from.lat + ((to.lat - from.lat) * piece) / pieces,
    }));
  });
  const [first] = line;
  return first ? [...line, first] : [];
}

const CIRCLE_SIDES = 180;

function circleOutline({ centre, radiusM }: Circle): LonLat[] {
  return Array.from({ length: CIRCLE_SIDES + 1 }, (_, side) => {
    const { lon, lat } = destination(centre, ((side % CIRCLE_SIDES) * 360) / CIRCLE_SIDES, radiusM);
    return { lon: centre.lon + wrapLongitude(lon - centre.lon), lat };
  });
}

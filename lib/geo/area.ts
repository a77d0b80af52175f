import type { Bbox } from './bbox.ts';
import { crossesItself, distanceToEdgeM, edgesTouch, sideOfRing, unwrapped } from './edges.ts';
import { destination, distanceM, EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { nearestCopy, wrapEastEdge, wrapLongitude } from './longitude.ts';

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

/** @param corners longitudes in any turn */
export function polygonOf(corners: readonly LonLat[]): Polygon {
  return { kind: 'polygon', corners: unwrapped(corners) };
}

/** Allocates nothing: it runs for every track of every picture. */
export function areaContains(area: Area, lon: number, lat: number): boolean {
  return area.kind === 'circle' ? circleContains(area, lon, lat) : sideOfRing(area.corners, lon, lat) !== 'outside';
}

function circleContains({ centre, radiusM }: Circle, lon: number, lat: number): boolean {
  // A degree of latitude is as long everywhere: most places need no trigonometry.
  if (Math.abs(lat - centre.lat) * RAD * EARTH_RADIUS_M > radiusM * (1 + 1e-9)) return false;
  const sinHalfLat = Math.sin(((lat - centre.lat) * RAD) / 2);
  const sinHalfLon = Math.sin(((lon - centre.lon) * RAD) / 2);
  const h = sinHalfLat ** 2 + Math.cos(lat * RAD) * Math.cos(centre.lat * RAD) * sinHalfLon ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h))) <= radiusM;
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
  return { west: wrapLongitude(west), south, east: wrapEastEdge(east), north };
}

/** @returns 0 inside; accurate to 1 % within 100 km */
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

/** The line is straight, and takes the shorter way around the Earth. */
export function lineTouchesArea(area: Area, from: LonLat, to: LonLat): boolean {
  if (areaContains(area, from.lon, from.lat) || areaContains(area, to.lon, to.lat)) return true;
  if (area.kind === 'circle') {
    const end = { lon: nearestCopy(to.lon, from.lon), lat: to.lat };
    return distanceToEdgeM(from, end, area.centre) <= area.radiusM;
  }
  const { corners } = area;
  const lons = corners.map(({ lon }) => lon);
  const middle = (Math.min(...lons) + Math.max(...lons)) / 2;
  const start = { lon: nearestCopy(from.lon, middle), lat: from.lat };
  const end = { lon: nearestCopy(to.lon, start.lon), lat: to.lat };
  return corners.some((corner, index) =>
    edgesTouch(corner, corners[(index + 1) % corners.length] as LonLat, start, end),
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
    return { lon: nearestCopy(lon, centre.lon), lat };
  });
}

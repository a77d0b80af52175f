import { type Bbox, lonSpanDeg } from './bbox.ts';
import { crossesItself, distanceToEdgeM, edgesTouch, sideOfRing, unwrapped } from './edges.ts';
import { destination, distanceM, EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { nearestCopy, turnTo, wrapEastEdge, wrapLongitude } from './longitude.ts';

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
  /** Each is a ring like `corners`; its edge belongs to the polygon. */
  readonly holes?: readonly (readonly LonLat[])[];
}

/** The places at most `halfWidthM` from a line, such as along a road. */
export interface Corridor {
  readonly kind: 'corridor';
  readonly line: readonly LonLat[];
  readonly halfWidthM: number;
}

export type Area = Circle | Polygon | Corridor;

const CIRCLE_RADIUS_MAX_M = 500_000;
const HALF_WIDTH_MAX_M = 100_000;
/** Of all rings of a polygon, or of a line; as many as those of a zone. */
export const CORNERS_MAX = 500;
/** Edges of a wider polygon could go either way around the Earth. */
const SPAN_MAX_DEG = 180;
const RAD = Math.PI / 180;

/** @param corners longitudes in any turn */
export function polygonOf(corners: readonly LonLat[], holes: readonly (readonly LonLat[])[] = []): Polygon {
  const polygon = { kind: 'polygon' as const, corners: unwrapped(corners) };
  return holes.length === 0 ? polygon : { ...polygon, holes: holes.map(unwrapped) };
}

/** @param line longitudes in any turn */
export function corridorOf(line: readonly LonLat[], halfWidthM: number): Corridor {
  return { kind: 'corridor', line: unwrapped(line), halfWidthM };
}

/** Allocates nothing: it runs for every track of every picture. */
export function areaContains(area: Area, lon: number, lat: number): boolean {
  switch (area.kind) {
    case 'circle':
      return circleContains(area, lon, lat);
    case 'polygon':
      return (
        sideOfRing(area.corners, lon, lat) !== 'outside' &&
        !area.holes?.some((hole) => sideOfRing(hole, lon, lat) === 'inside')
      );
    case 'corridor':
      return isBesideLine(area, lon, lat);
  }
}

function isBesideLine({ line, halfWidthM }: Corridor, lon: number, lat: number): boolean {
  const reachDeg = (halfWidthM / EARTH_RADIUS_M / RAD) * (1 + 1e-9);
  for (let index = 1; index < line.length; index++) {
    const [from, to] = [line[index - 1] as LonLat, line[index] as LonLat];
    if (lat < Math.min(from.lat, to.lat) - reachDeg || lat > Math.max(from.lat, to.lat) + reachDeg) continue;
    if (distanceToEdgeM(from, to, { lon, lat }) <= halfWidthM) return true;
  }
  return false;
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
  switch (area.kind) {
    case 'circle':
      return circleProblem(area);
    case 'polygon':
      return polygonProblem(area);
    case 'corridor':
      return corridorProblem(area);
  }
}

function circleProblem({ centre, radiusM }: Circle): string | undefined {
  if (!(radiusM >= 1)) return 'A circle has a radius of at least 1 m.';
  if (radiusM > CIRCLE_RADIUS_MAX_M) return `A circle has a radius of at most ${CIRCLE_RADIUS_MAX_M / 1000} km.`;
  const poleM = (90 - Math.abs(centre.lat)) * RAD * EARTH_RADIUS_M;
  return poleM <= radiusM ? 'A circle cannot contain a pole.' : undefined;
}

function polygonProblem({ corners: edge, holes = [] }: Polygon): string | undefined {
  const count = holes.reduce((sum, hole) => sum + hole.length, edge.length);
  if (count > CORNERS_MAX) return `A polygon has at most ${CORNERS_MAX} corners.`;
  for (const corners of [edge, ...holes]) {
    const [first] = corners;
    const last = corners.at(-1);
    if (!first || !last || corners.length < 3) return 'A polygon has at least three corners.';
    if (Math.abs(first.lon - last.lon) > 180) return 'A polygon cannot go around a pole.';
    if (widthDeg(corners) >= SPAN_MAX_DEG) return `A polygon is less than ${SPAN_MAX_DEG}° wide.`;
    if (crossesItself(corners)) return 'The edges cross each other: move a corner.';
  }
  return undefined;
}

function corridorProblem({ line, halfWidthM }: Corridor): string | undefined {
  if (line.length < 2) return 'A line has at least two places.';
  if (line.length > CORNERS_MAX) return `A line has at most ${CORNERS_MAX} places.`;
  if (!(halfWidthM >= 1)) return 'A corridor is at least 1 m wide on each side.';
  if (halfWidthM > HALF_WIDTH_MAX_M) return `A corridor is at most ${HALF_WIDTH_MAX_M / 1000} km wide on each side.`;
  if (widthDeg(line) >= SPAN_MAX_DEG) return `A line is less than ${SPAN_MAX_DEG}° wide.`;
  const reachesPole = line.some(({ lat }) => (90 - Math.abs(lat)) * RAD * EARTH_RADIUS_M <= halfWidthM);
  return reachesPole ? 'A corridor cannot contain a pole.' : undefined;
}

function widthDeg(corners: readonly LonLat[]): number {
  const lons = corners.map(({ lon }) => lon);
  return Math.max(...lons) - Math.min(...lons);
}

export function areaBbox(area: Area): Bbox {
  if (area.kind === 'polygon') {
    const lons = area.corners.map(({ lon }) => lon);
    const lats = area.corners.map(({ lat }) => lat);
    return boxOf(Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats));
  }
  return area.kind === 'circle' ? circleBbox(area) : corridorBbox(area);
}

function corridorBbox({ line, halfWidthM }: Corridor): Bbox {
  const boxes = line.map((centre) => circleBbox({ kind: 'circle', centre, radiusM: halfWidthM }));
  // The circle nearest to a pole is the widest.
  const wideDeg = Math.max(...boxes.map(lonSpanDeg)) / 2;
  const lons = line.map(({ lon }) => lon);
  return boxOf(
    Math.min(...lons) - wideDeg,
    Math.min(...boxes.map(({ south }) => south)),
    Math.max(...lons) + wideDeg,
    Math.max(...boxes.map(({ north }) => north)),
  );
}

function circleBbox({ centre, radiusM }: Circle): Bbox {
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
  if (area.kind === 'corridor') return Math.max(0, distanceToLineM(area.line, place) - area.halfWidthM);
  if (areaContains(area, place.lon, place.lat)) return 0;
  return Math.min(...ringsOf(area).map((ring) => distanceToLineM([...ring, ring[0] as LonLat], place)));
}

function ringsOf({ corners, holes = [] }: Polygon): readonly (readonly LonLat[])[] {
  return [corners, ...holes];
}

function distanceToLineM(line: readonly LonLat[], place: LonLat): number {
  let nearestM = Number.POSITIVE_INFINITY;
  for (let index = 1; index < line.length; index++)
    nearestM = Math.min(nearestM, distanceToEdgeM(line[index - 1] as LonLat, line[index] as LonLat, place));
  return nearestM;
}

/** The line is straight, and takes the shorter way around the Earth. */
export function lineTouchesArea(area: Area, from: LonLat, to: LonLat): boolean {
  if (areaContains(area, from.lon, from.lat) || areaContains(area, to.lon, to.lat)) return true;
  if (area.kind === 'circle') {
    const end = { lon: nearestCopy(to.lon, from.lon), lat: to.lat };
    return distanceToEdgeM(from, end, area.centre) <= area.radiusM;
  }
  const outline = area.kind === 'corridor' ? area.line : area.corners;
  const lons = outline.map(({ lon }) => lon);
  const middle = (Math.min(...lons) + Math.max(...lons)) / 2;
  const start = { lon: nearestCopy(from.lon, middle), lat: from.lat };
  const end = { lon: nearestCopy(to.lon, start.lon), lat: to.lat };
  if (area.kind === 'corridor') {
    const { line, halfWidthM } = area;
    // The nearest place is an end of one of them.
    return (
      line.slice(1).some((next, index) => edgesTouch(line[index] as LonLat, next, start, end)) ||
      line.some((corner) => distanceToEdgeM(start, end, corner) <= halfWidthM)
    );
  }
  return ringsOf(area).some((ring) => {
    const turn = turnTo(ring[0]?.lon ?? middle, middle);
    const turned = (corner: LonLat) => (turn === 0 ? corner : { lon: corner.lon + turn, lat: corner.lat });
    return ring.some((corner, index) =>
      edgesTouch(turned(corner), turned(ring[(index + 1) % ring.length] as LonLat), start, end),
    );
  });
}

/** Longer edges of a polygon are not quite straight on a Mercator map. */
const DRAWN_DEG = 0.25;

/** A closed line, without holes; longitudes run on past 180°. */
export function areaOutline(area: Circle | Polygon): LonLat[] {
  return area.kind === 'circle' ? circleOutline(area) : ringOutline(area.corners);
}

function ringOutline(corners: readonly LonLat[]): LonLat[] {
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

import polygonClipping from 'polygon-clipping';
import { wrapBearing } from '#lib/geo/longitude.ts';
import { areaOutline } from '../geo/area.ts';
import { bearingDeg, destination, type LonLat } from '../geo/great-circle.ts';
import { nearestCopy } from '../geo/longitude.ts';
import type { ZoneShape } from './zone.ts';

type Point = [lon: number, lat: number];

/** Straight edges in longitude and latitude bend on Mercator maps. */
const PIECE_DEG = 0.25;
const CAP_SIDES = 24;

/** WGS84 [longitude, latitude], the edge first, then holes. Longitudes continue past ±180°. */
export function shapeOutline(shape: ZoneShape): Point[][][] {
  switch (shape.type) {
    case 'Polygon': {
      const [first] = shape.coordinates[0] ?? [];
      return [shape.coordinates.map((ring) => inPieces(runningOn(ring, first?.[0] ?? 0)))];
    }
    case 'Circle': {
      const [lon, lat] = shape.centre;
      return [[areaOutline({ kind: 'circle', centre: { lon, lat }, radiusM: shape.radius_m }).map(pointOf)]];
    }
    case 'Corridor':
      return corridorOutline(shape.line, shape.half_width_m);
  }
}

/** The bounds of a shape, of which the east may exceed 180°. */
export function shapeBounds(shape: ZoneShape): { west: number; south: number; east: number; north: number } {
  const points = shapeOutline(shape).flat(2);
  const lons = points.map(([lon]) => lon);
  const lats = points.map(([, lat]) => lat);
  return { west: Math.min(...lons), south: Math.min(...lats), east: Math.max(...lons), north: Math.max(...lats) };
}

function runningOn(points: readonly (readonly [number, number])[], from: number): Point[] {
  let lon = from;
  return points.map(([next, lat]) => {
    lon = nearestCopy(next, lon);
    return [lon, lat];
  });
}

function inPieces(points: readonly Point[]): Point[] {
  const pieces = points.slice(1).flatMap(([toLon, toLat], index): Point[] => {
    const [lon, lat] = points[index] as Point;
    const count = Math.max(1, Math.ceil(Math.max(Math.abs(toLon - lon), Math.abs(toLat - lat)) / PIECE_DEG));
    return Array.from({ length: count }, (_, piece) => [
      lon + ((toLon - lon) * piece) / count,
      lat + ((toLat - lat) * piece) / count,
    ]);
  });
  const last = points.at(-1);
  return last ? [...pieces, last] : [];
}

function corridorOutline(line: readonly (readonly [number, number])[], halfWidthM: number): Point[][][] {
  const points = runningOn(line, line[0]?.[0] ?? 0)
    .map(rounded)
    .filter(([lon, lat], index, all) => index === 0 || lon !== all[index - 1]?.[0] || lat !== all[index - 1]?.[1]);
  const from = points.slice(0, Math.max(1, points.length - 1));
  const capsules = from.map((start, index) => [capsule(start, points[index + 1] ?? start, halfWidthM)]);
  const [first, ...others] = capsules;
  if (!first) return [];
  try {
    return polygonClipping.union(first, ...others);
  } catch {
    // The library fails at some edges that nearly touch.
    return capsules;
  }
}

/** Rounds to 1 cm: smaller differences confuse the union. */
function rounded([lon, lat]: Point): Point {
  return [Number(lon.toFixed(7)), Number(lat.toFixed(7))];
}

function capsule(from: Point, to: Point, halfWidthM: number): Point[] {
  const middle = inPieces([from, to]).map(placeOf);
  const start = middle[0] as LonLat;
  const end = middle.at(-1) as LonLat;
  const isPoint = start.lon === end.lon && start.lat === end.lat;
  const startDeg = isPoint ? 0 : bearingDeg(start, middle[1] as LonLat);
  const endDeg = isPoint ? 0 : wrapBearing(bearingDeg(end, middle.at(-2) as LonLat) + 180);
  const beside = (side: 90 | -90) =>
    middle.slice(1, -1).map((place, index) => {
      const course = bearingDeg(place, middle[index + 2] as LonLat);
      return near(place, course + side, halfWidthM);
    });
  const cap = (place: LonLat, fromDeg: number) =>
    Array.from({ length: CAP_SIDES + 1 }, (_, side) => near(place, fromDeg + (180 * side) / CAP_SIDES, halfWidthM));
  const ring = [...beside(-90), ...cap(end, endDeg - 90), ...beside(90).reverse(), ...cap(start, startDeg + 90)];
  return [...ring, ring[0] as Point].map(rounded);
}

/** Longitudes continue from the place, also past ±180. */
function near(place: LonLat, courseDeg: number, lengthM: number): Point {
  const { lon, lat } = destination(place, courseDeg, lengthM);
  return [nearestCopy(lon, place.lon), lat];
}

function placeOf([lon, lat]: Point): LonLat {
  return { lon, lat };
}

function pointOf({ lon, lat }: LonLat): Point {
  return [lon, lat];
}

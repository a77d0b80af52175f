import { circlePoints } from '#lib/geo/geodesic-lines.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from '../../zone.ts';
import type { Position } from '../reading/coordinates.ts';

export type DrawnGeometry =
  | { readonly type: 'Polygon'; readonly coordinates: Position[][] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: Position[][][] }
  | { readonly type: 'LineString'; readonly coordinates: Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: Position[][] };

/** About a centimetre. */
const DECIMALS = 1e7;

/** Cut at 180° (RFC 7946, 3.1.9). */
export function drawnGeometry(shape: ZoneShape): DrawnGeometry {
  if (shape.type === 'Corridor') {
    const lines = cutLine(unwrapped(shape.line));
    return lines.length === 1
      ? { type: 'LineString', coordinates: lines[0] as Position[] }
      : { type: 'MultiLineString', coordinates: lines };
  }
  const polygons = cutPolygon(shape.type === 'Circle' ? [circleRing(shape)] : shape.coordinates).map((rings) =>
    rings.map((ring, index) => (isCounterClockwise(ring) === (index === 0) ? ring : ring.toReversed())),
  );
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] as Position[][] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function circleRing({ centre: [lon, lat], radius_m }: ZoneShape & { type: 'Circle' }): Position[] {
  return circlePoints({ lon, lat }, radius_m).map((point) => [rounded(wrapLongitude(point.lon)), rounded(point.lat)]);
}

/** RFC 7946 (3.1.6): edges counter-clockwise, holes clockwise. */
function isCounterClockwise(ring: readonly Position[]): boolean {
  return (
    ring.slice(1).reduce((area, [lon, lat], index) => {
      const [lonBefore, latBefore] = ring[index] as Position;
      return area + (lonBefore * lat - lon * latBefore);
    }, 0) > 0
  );
}

/** Longitudes continue past ±180. */
function unwrapped(line: readonly (readonly [number, number])[]): Position[] {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon, lat]) => {
    // Exact where nothing jumps.
    before = Math.abs(lon - before) <= 180 ? lon : before + wrapLongitude(lon - before);
    return [before, lat];
  });
}

function cutPolygon(rings: readonly (readonly (readonly [number, number])[])[]): Position[][][] {
  const [edge = [], ...holes] = rings.map(unwrapped);
  const lons = edge.map(([lon]) => lon);
  const [west, east] = [Math.min(...lons), Math.max(...lons)];
  if (west >= -180 && east <= 180) return [[edge, ...holes]];
  const shift = west < -180 ? 360 : 0;
  const moved = [edge, ...holes.map((hole) => alignedTo(hole, west, east))].map((ring) => moveBy(ring, shift));
  return [true, false].flatMap((isWest) => {
    const parts = moved.map((ring) => half(ring, isWest)).filter((ring) => ring.length >= 4);
    return parts.length > 0 ? [isWest ? parts : parts.map((ring) => moveBy(ring, -360))] : [];
  });
}

function alignedTo(hole: readonly Position[], west: number, east: number): Position[] {
  const lon = hole[0]?.[0] ?? west;
  return moveBy(hole, lon < west ? 360 : lon > east ? -360 : 0);
}

function moveBy(ring: readonly Position[], deg: number): Position[] {
  return ring.map(([lon, lat]) => [lon + deg, lat]);
}

/** One side of 180° (Sutherland–Hodgman). */
function half(ring: readonly Position[], isWest: boolean): Position[] {
  const isKept = ([lon]: Position) => (isWest ? lon <= 180 : lon >= 180);
  const kept: Position[] = [];
  for (const [index, corner] of ring.slice(0, -1).entries()) {
    const next = ring[index + 1] as Position;
    if (isKept(corner)) kept.push(corner);
    if (isKept(corner) !== isKept(next)) kept.push(at180(corner, next));
  }
  return kept.length === 0 ? [] : [...kept, kept[0] as Position];
}

function cutLine(line: readonly Position[]): Position[][] {
  const parts: Position[][] = [[]];
  for (const [index, corner] of line.entries()) {
    const before = line[index - 1];
    for (const edge of before ? edgesBetween(before, corner) : []) {
      const cut: Position = [edge, latAt(before as Position, corner, edge)];
      parts.at(-1)?.push(cut);
      parts.push([cut]);
    }
    parts.at(-1)?.push(corner);
  }
  return parts.filter((part) => part.length > 1).map((part) => moveBy(part, -360 * turnsOf(part)));
}

function edgesBetween([from]: Position, [to]: Position): number[] {
  return [-540, -180, 180, 540].filter((edge) => (from < edge && to > edge) || (from > edge && to < edge));
}

function turnsOf(part: readonly Position[]): number {
  const lons = part.map(([lon]) => lon);
  return Math.round((Math.min(...lons) + Math.max(...lons)) / 2 / 360);
}

function at180(from: Position, to: Position): Position {
  return [180, latAt(from, to, 180)];
}

function latAt(from: Position, to: Position, lon: number): number {
  return rounded(from[1] + ((lon - from[0]) / (to[0] - from[0])) * (to[1] - from[1]));
}

function rounded(deg: number): number {
  return Math.round(deg * DECIMALS) / DECIMALS + 0;
}

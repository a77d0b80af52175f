import { areaProblem } from '#lib/geo/area.ts';
import { crossesItself, edgesCross, sideOfRing, unwrapped } from '#lib/geo/edges.ts';
import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { turnTo, wrapLongitude } from '#lib/geo/longitude.ts';
import { instantOf } from '#lib/time/instant.ts';
import type { PermitTerms } from './permit.ts';
import type { ZoneShape } from './zone.ts';
import { ZONE_CORNERS_MAX } from './zone-limits.ts';

type Corner = readonly [number, number];

/** Edges of wider shapes are ambiguous around the Earth. */
const SPAN_MAX_DEG = 180;
const RAD = Math.PI / 180;

/** A sentence for operators; `undefined` if the shape is valid. */
export function shapeProblem(shape: ZoneShape): string | undefined {
  switch (shape.type) {
    case 'Polygon':
      return polygonProblem(shape.coordinates);
    case 'Circle':
      return areaProblem({ kind: 'circle', centre: lonLat(shape.centre), radiusM: shape.radius_m });
    case 'Corridor':
      return corridorProblem(shape.line, shape.half_width_m);
  }
}

/** Checks the shape and the order of the times of a permit. @returns a problem with its place */
export function termsProblem({ shape, start, end }: Pick<PermitTerms, 'shape' | 'start' | 'end'>): string | undefined {
  const problem = shape ? shapeProblem(shape) : undefined;
  if (problem !== undefined) return `shape: ${problem}`;
  return instantOf(end) <= instantOf(start) ? 'end: must be after the start' : undefined;
}

function polygonProblem(coordinates: readonly (readonly Corner[])[]): string | undefined {
  const corners = coordinates.reduce((sum, ring) => sum + ring.length - 1, 0);
  if (corners > ZONE_CORNERS_MAX) return `A zone has at most ${ZONE_CORNERS_MAX} corners; this one has ${corners}.`;
  if (!coordinates.every(isClosed)) return 'The last corner of a ring repeats the first.';
  const [edge, ...holes] = coordinates.map((ring) => unwrapped(ring.slice(0, -1).map(lonLat)));
  if (!edge) return 'A polygon has an edge.';
  const problem = ringProblem(edge, 'edge') ?? holes.map((hole) => ringProblem(hole, 'hole')).find(Boolean);
  if (problem !== undefined) return problem;
  return holes.every((hole) => isWithin(hole, edge)) ? undefined : 'A hole lies inside the edge: move its corners.';
}

function ringProblem(corners: readonly LonLat[], what: 'edge' | 'hole'): string | undefined {
  const [first, last] = [corners[0], corners.at(-1)];
  if (!first || !last || corners.length < 3) return 'A polygon has at least three corners.';
  if (Math.abs(first.lon - last.lon) > 180 || corners.some(({ lat }) => Math.abs(lat) >= 90)) {
    return 'A zone cannot contain a pole.';
  }
  if (spanDeg(corners) >= SPAN_MAX_DEG) return `A zone is less than ${SPAN_MAX_DEG}° wide.`;
  if (!crossesItself(corners)) return undefined;
  return what === 'edge'
    ? 'The edge crosses itself: move a corner.'
    : 'The edge of a hole crosses itself: move a corner.';
}

/** It may touch the edge. */
function isWithin(hole: readonly LonLat[], edge: readonly LonLat[]): boolean {
  const turn = turnTo(hole[0]?.lon ?? 0, edge[0]?.lon ?? 0);
  const corners = hole.map(({ lon, lat }) => ({ lon: lon + turn, lat }));
  return corners.every((from, index) => {
    const to = corners[(index + 1) % corners.length] as LonLat;
    const isInside = (lon: number, lat: number) => sideOfRing(edge, wrapLongitude(lon), lat) !== 'outside';
    if (!isInside(from.lon, from.lat) || !isInside((from.lon + to.lon) / 2, (from.lat + to.lat) / 2)) return false;
    return !edge.some((corner, at) => edgesCross(corner, edge[(at + 1) % edge.length] as LonLat, from, to));
  });
}

function corridorProblem(line: readonly Corner[], halfWidthM: number): string | undefined {
  if (line.length > ZONE_CORNERS_MAX)
    return `A zone has at most ${ZONE_CORNERS_MAX} corners; this one has ${line.length}.`;
  const corners = unwrapped(line.map(lonLat));
  if (spanDeg(corners) >= SPAN_MAX_DEG) return `A zone is less than ${SPAN_MAX_DEG}° wide.`;
  const reachesPole = corners.some(({ lat }) => (90 - Math.abs(lat)) * RAD * EARTH_RADIUS_M <= halfWidthM);
  return reachesPole ? 'A zone cannot contain a pole.' : undefined;
}

function isClosed(ring: readonly Corner[]): boolean {
  const [first, last] = [ring[0], ring.at(-1)];
  return first !== undefined && last !== undefined && first[0] === last[0] && first[1] === last[1];
}

function spanDeg(corners: readonly LonLat[]): number {
  const lons = corners.map(({ lon }) => lon);
  return Math.max(...lons) - Math.min(...lons);
}

function lonLat([lon, lat]: Corner): LonLat {
  return { lon, lat };
}

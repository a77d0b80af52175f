import { bearingDeg, destination, type LonLat } from '#lib/geo/great-circle.ts';
import type { RunwayRecord } from './airport-records.ts';

/** The strip of an instrument runway (ICAO Annex 14, 3.4). */
const STRIP_SIDE_M = 140;
const STRIP_BEYOND_M = 60;

/** Convex hull of the runways' strips, clockwise. It is no boundary of the aerodrome. */
export function aerodromeGround(runways: readonly Pick<RunwayRecord, 'ends'>[]): LonLat[] {
  return convexHull(runways.flatMap(stripCorners));
}

function stripCorners({ ends: [a, b] }: Pick<RunwayRecord, 'ends'>): LonLat[] {
  return [[a, bearingDeg(b, a)] as const, [b, bearingDeg(a, b)] as const].flatMap(([end, outwardsDeg]) => {
    const beyond = destination(end, outwardsDeg, STRIP_BEYOND_M);
    return [-90, 90].map((side) => destination(beyond, outwardsDeg + side, STRIP_SIDE_M));
  });
}

/** Andrew's monotone chain, as if degrees were flat: an aerodrome is small. */
function convexHull(points: readonly LonLat[]): LonLat[] {
  const sorted = points.toSorted((a, b) => a.lon - b.lon || a.lat - b.lat);
  return [...chain(sorted), ...chain(sorted.toReversed())].toReversed();
}

function chain(points: readonly LonLat[]): LonLat[] {
  const side: LonLat[] = [];
  for (const point of points) {
    while (side.length > 1 && crossProduct(side.at(-2)!, side.at(-1)!, point) <= 0) side.pop();
    side.push(point);
  }
  return side.slice(0, -1);
}

/** Of `ab` and `ac`: positive where `c` is to the left of `ab`. */
function crossProduct(a: LonLat, b: LonLat, c: LonLat): number {
  return (b.lon - a.lon) * (c.lat - a.lat) - (b.lat - a.lat) * (c.lon - a.lon);
}

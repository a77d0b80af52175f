import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { type Airport, codeNumber } from './airports.ts';

/** Below this distance aircraft fly direct. */
const DIRECT_BELOW_M = 150_000;
/** How far a waypoint may lie off the great circle: as a share of the distance, and at most. */
const DEVIATION_SHARE = 0.04;
const DEVIATION_MAX_M = 60_000;

/** The maximum distance of waypoints from the great circle, for an airway of this length. */
export function airwayDeviationM(distance: number): number {
  return distance < DIRECT_BELOW_M ? 0 : Math.min(DEVIATION_MAX_M, distance * DEVIATION_SHARE);
}

/**
 * The waypoints of the airway between two airports, without the airports: one to three points off the great circle. All
 * flights in one direction use the same waypoints; the opposite direction has its own.
 */
export function airwayBetween(seed: number, from: Airport, to: Airport): LonLat[] {
  const distance = distanceM(from, to);
  if (distance < DIRECT_BELOW_M) return [];
  const [fromCode, toCode] = [codeNumber(from.icao), codeNumber(to.icao)];
  const count = 1 + Math.floor(3 * seededUnit(seed, fromCode, toCode));
  const deviationM = airwayDeviationM(distance);
  const waypoints: LonLat[] = [];
  for (let index = 1; index <= count; index++) {
    const on = destination(from, bearingDeg(from, to), (distance * index) / (count + 1));
    const asideM = (seededUnit(seed, fromCode, toCode, index) - 0.5) * 2 * deviationM;
    waypoints.push(destination(on, bearingDeg(on, to) + 90, asideM));
  }
  return waypoints;
}

import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import type { Dice } from '#lib/random/seeded-random.ts';
import { racetrack } from '../motion/holding-pattern.ts';
import { fromLocal, type LocalPoint, offset, toLocal } from '../motion/local-frame.ts';
import type { Movement } from '../motion/movement.ts';
import { makePath } from '../motion/path.ts';
import { type Pose, turnPath } from '../motion/turn-path.ts';
import type { Airport } from './airports.ts';
import { airwayBetween } from './airway.ts';
import { type Performance, performanceBetween } from './performance.ts';
import { type Runway, runwayOf } from './runway.ts';
import { type TransportLegs, transportProfile } from './transport-profile.ts';

export interface TransportTask {
  readonly from: Airport;
  readonly to: Airport;
  /** Laps flown in the hold at the end of the airway. */
  readonly holdLaps: number;
  /** The runway direction in use at each end. */
  readonly fromReversed: boolean;
  readonly toReversed: boolean;
  readonly cruiseMps: number;
}

/** Aircraft fly up to this far to either side of their airway. */
const LATERAL_SPREAD_M = 900;

/** One flight from stand to stand: taxi, take-off, airway, hold if any, approach, landing, taxi. */
export function transportFlight(seed: number, task: TransportTask, dice: Dice): Movement {
  const { from, to } = task;
  const performance = performanceBetween(from, to);
  const departure = runwayOf(from, task.fromReversed);
  const arrival = runwayOf(to, task.toReversed);
  const waypoints = airwayBetween(seed, from, to);
  const spreadM = dice.between(-LATERAL_SPREAD_M, LATERAL_SPREAD_M);
  const airway = waypoints.map((point) => destination(point, bearingDeg(point, to) + 90, spreadM));
  const share = Math.min(1, distanceM(from, to) / (3 * (performance.joinM + performance.leaveM)));
  const join = destination(from, bearingDeg(from, airway[0] ?? to), performance.joinM * share);
  const leave = destination(to, bearingDeg(to, airway.at(-1) ?? from), performance.leaveM * share);

  const taxiOut = departure.taxiOut(dice.between(-0.2, 0.2) * departure.lengthM).map((point) => fromLocal(from, point));
  const climbOut = departureTurn(
    departure,
    toLocal(from, join),
    joinHeading(from, join, airway[0] ?? leave),
    performance,
  );
  const leaving: Pose = { ...toLocal(to, leave), headingDeg: bearingDeg(leave, to) };
  const hold = racetrack(leaving, performance.holdLegM, performance.turnRadiusM, task.holdLaps);
  const final: Pose = {
    ...offset(arrival.threshold, arrival.headingDeg, -performance.finalM, 0),
    headingDeg: arrival.headingDeg,
  };
  const approach = turnPath(leaving, final, performance.turnRadiusM);
  const ground = [arrival.turnOff, ...arrival.taxiIn(dice.between(-0.2, 0.2) * arrival.lengthM)];

  const points: LonLat[] = [...taxiOut, ...climbOut.map((point) => fromLocal(from, point)), ...airway, leave];
  const leaveIndex = points.length - 1;
  points.push(...[...hold, ...approach, arrival.threshold, ...ground].map((point) => fromLocal(to, point)));
  const path = makePath(points);
  const at = (index: number) => path.metresAt[index]!;
  const holdEndIndex = leaveIndex + hold.length;
  const legs: TransportLegs = {
    takeOffM: at(taxiOut.length - 1),
    leaveM: at(leaveIndex),
    holdEndM: at(holdEndIndex),
    finalM: at(holdEndIndex + approach.length),
    touchdownM: at(holdEndIndex + approach.length + 1),
    turnOffM: at(holdEndIndex + approach.length + 2),
    endM: at(points.length - 1),
  };
  const course = { performance, from, to, isEastbound: bearingDeg(from, to) < 180, cruiseMps: task.cruiseMps };
  return { path, profile: transportProfile(course, legs, dice) };
}

function departureTurn(
  runway: Runway,
  join: LocalPoint,
  joinHeadingDeg: number,
  performance: Performance,
): LocalPoint[] {
  const out = offset(runway.threshold, runway.headingDeg, runway.lengthM + performance.straightOutM, 0);
  const turn = turnPath(
    { ...out, headingDeg: runway.headingDeg },
    { ...join, headingDeg: joinHeadingDeg },
    performance.turnRadiusM,
  );
  return [out, ...turn];
}

/**
 * The heading of the leg from `join` to `next` in the airport's local frame, in which the bearing from the airport to
 * `join` is constant. Degrees clockwise from north, not normalised.
 */
function joinHeading(from: Airport, join: LonLat, next: LonLat): number {
  const outbound = bearingDeg(from, join);
  const onward = bearingDeg(join, next);
  return outbound + (onward - (bearingDeg(join, from) + 180));
}

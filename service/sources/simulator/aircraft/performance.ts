import { distanceM } from '#lib/geo/great-circle.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Airport } from './airports.ts';

/** How a class of aircraft flies, in round, typical figures. Metres and metres per second. */
export interface Performance {
  readonly liftOffMps: number;
  readonly terminalMps: number;
  readonly approachMps: number;
  readonly cruiseMps: readonly [low: number, high: number];
  readonly climbMps: number;
  readonly descentMps: number;
  readonly cruiseLevelsFt: readonly number[];
  readonly turnRadiusM: number;
  readonly straightOutM: number;
  readonly finalM: number;
  /** Distance from the airport at which a flight joins or leaves the airway. */
  readonly joinM: number;
  readonly leaveM: number;
  /** Height above the airport at the end of the airway, and in a hold. */
  readonly arrivalHeightM: number;
  readonly holdLegM: number;
  /**
   * Time that a flight needs beyond its distance at cruising speed: taxi, climb, descent, approach, and a reserve.
   */
  readonly overheadMs: number;
}

const JET: Performance = {
  liftOffMps: 78,
  terminalMps: 118,
  approachMps: 71,
  cruiseMps: [222, 250],
  climbMps: 9,
  descentMps: 8,
  cruiseLevelsFt: [31000, 32000, 33000, 34000, 35000, 36000, 37000, 38000, 39000, 40000],
  turnRadiusM: 3500,
  straightOutM: 5000,
  finalM: 15000,
  joinM: 42000,
  leaveM: 56000,
  arrivalHeightM: 2900,
  holdLegM: 7000,
  overheadMs: 40 * MINUTE_MS,
};

const TURBOPROP: Performance = {
  liftOffMps: 60,
  terminalMps: 92,
  approachMps: 57,
  cruiseMps: [130, 145],
  climbMps: 7,
  descentMps: 7,
  cruiseLevelsFt: [16000, 17000, 18000, 19000, 20000, 21000, 23000, 24000],
  turnRadiusM: 2200,
  straightOutM: 3000,
  finalM: 10000,
  joinM: 22000,
  leaveM: 32000,
  arrivalHeightM: 1900,
  holdLegM: 5500,
  overheadMs: 31 * MINUTE_MS,
};

const PISTON: Performance = {
  liftOffMps: 31,
  terminalMps: 45,
  approachMps: 33,
  cruiseMps: [52, 62],
  climbMps: 4,
  descentMps: 3,
  cruiseLevelsFt: [4500, 5500, 6500, 7500, 8500, 9500],
  turnRadiusM: 700,
  straightOutM: 1200,
  finalM: 2600,
  joinM: 6000,
  leaveM: 7000,
  arrivalHeightM: 330,
  holdLegM: 2700,
  overheadMs: 19 * MINUTE_MS,
};

/** Pistons fly short legs at small airfields, turboprops fly other short legs, and jets the longer ones. */
export function performanceBetween(from: Airport, to: Airport): Performance {
  const distance = distanceM(from, to);
  if (distance > 420_000) return JET;
  return distance < 220_000 && (from.size === 'small' || to.size === 'small') ? PISTON : TURBOPROP;
}

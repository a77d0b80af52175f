import type { Dice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { racetrack } from '../motion/holding-pattern.ts';
import { fromLocal, type LocalPoint, offset } from '../motion/local-frame.ts';
import { type MotionProfile, profileFrom } from '../motion/motion-profile.ts';
import type { Movement } from '../motion/movement.ts';
import { makePath } from '../motion/path.ts';
import type { Airport } from './airports.ts';
import { runwayOf } from './runway.ts';

const TAXI_MPS = 6;
const TAXI_RAMP_M = 15;
const TOUCHDOWN_MPS = 29;
const CLIMB_OUT_MPS = 36;
const DOWNWIND_MPS = 44;
/** Height of the pattern above the field: 1000 ft, as most fields publish. */
const PATTERN_HEIGHT_M = 305;
/** From touchdown to lift-off in a touch-and-go, and from the threshold to the first turn. */
const ROLL_M = 260;
const UPWIND_M = 1100;
/** Taxi, waiting and landing roll, on top of the laps. */
const GROUND_TIME_MS = 12 * MINUTE_MS;

interface CircuitLegs {
  readonly takeOffM: number;
  readonly lapM: number;
  readonly laps: number;
  readonly turnOffM: number;
  readonly endM: number;
}

/**
 * Circuits with touch-and-goes at one field, about `durationMs` long. A circuit is a racetrack whose inbound leg is the
 * runway.
 */
export function circuitFlight(field: Airport, reversed: boolean, dice: Dice, durationMs: number): Movement {
  const runway = runwayOf(field, reversed);
  const radiusM = dice.between(750, 950);
  const legM = dice.between(2400, 3600);
  const lapMs = ((2 * legM + 2 * Math.PI * radiusM) / ((CLIMB_OUT_MPS + DOWNWIND_MPS) / 2)) * 1000 * 1.1;
  const laps = Math.max(1, Math.floor((durationMs - GROUND_TIME_MS) / lapMs));
  const upwindEnd = offset(runway.threshold, runway.headingDeg, UPWIND_M, 0);
  const racetracks = racetrack({ ...upwindEnd, headingDeg: runway.headingDeg }, legM, radiusM, laps);
  const taxiOut = runway.taxiOut(dice.between(-0.3, 0.3) * runway.lengthM);
  const taxiIn = runway.taxiIn(dice.between(-0.3, 0.3) * runway.lengthM);

  // The last racetrack ends on the runway instead of past it.
  const points: LocalPoint[] = [...taxiOut, upwindEnd, ...racetracks.slice(0, -1), runway.turnOff, ...taxiIn];
  const path = makePath(points.map((point) => fromLocal(field, point)));
  const takeOffM = path.metresAt[taxiOut.length - 1]!;
  const turnOffM = path.metresAt[taxiOut.length + racetracks.length]!;
  const rollOutM = Math.hypot(
    runway.turnOff.eastM - runway.threshold.eastM,
    runway.turnOff.northM - runway.threshold.northM,
  );
  const lapM = (turnOffM - rollOutM - takeOffM) / laps;
  const legs = { takeOffM, lapM, laps, turnOffM, endM: path.metresAt.at(-1)! };
  return { path, profile: circuitProfile(legs, field.elevationM, dice) };
}

function circuitProfile(legs: CircuitLegs, groundM: number, dice: Dice): MotionProfile {
  const profile = profileFrom(groundM);
  const moveTo = (alongM: number, endMps: number, altitudeM: number) =>
    profile.moveOver(alongM - profile.alongM, endMps, altitudeM);
  profile.above(groundM);
  profile.stand(dice.between(20_000, 90_000), groundM);
  moveTo(TAXI_RAMP_M, TAXI_MPS, groundM);
  moveTo(legs.takeOffM - TAXI_RAMP_M, TAXI_MPS, groundM);
  moveTo(legs.takeOffM, 0, groundM);
  profile.stand(dice.between(20_000, 60_000), groundM);
  for (let lap = 0; lap < legs.laps; lap++) {
    const startM = legs.takeOffM + lap * legs.lapM;
    moveTo(startM + ROLL_M, CLIMB_OUT_MPS * 0.9, groundM);
    moveTo(startM + legs.lapM * 0.36, CLIMB_OUT_MPS, groundM + PATTERN_HEIGHT_M);
    moveTo(startM + legs.lapM * 0.64, DOWNWIND_MPS, groundM + PATTERN_HEIGHT_M);
    moveTo(startM + legs.lapM, TOUCHDOWN_MPS, groundM);
  }
  moveTo(legs.turnOffM, TAXI_MPS, groundM);
  moveTo(legs.endM - TAXI_RAMP_M, TAXI_MPS, groundM);
  moveTo(legs.endM, 0, groundM);
  profile.stand(dice.between(30_000, 90_000), groundM);
  return profile.build();
}

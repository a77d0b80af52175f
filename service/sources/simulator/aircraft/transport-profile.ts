import type { Dice } from '#lib/random/seeded-random.ts';
import { type MotionProfile, type ProfileBuilder, profileFrom } from '../motion/motion-profile.ts';
import type { Airport } from './airports.ts';
import type { Performance } from './performance.ts';

/** Metres along the path where each part of a flight begins or ends. */
export interface TransportLegs {
  readonly takeOffM: number;
  readonly leaveM: number;
  readonly holdEndM: number;
  readonly finalM: number;
  readonly touchdownM: number;
  readonly turnOffM: number;
  readonly endM: number;
}

export interface TransportCourse {
  readonly performance: Performance;
  readonly from: Airport;
  readonly to: Airport;
  readonly isEastbound: boolean;
  readonly cruiseMps: number;
}

const FOOT_M = 0.3048;
const TAXI_MPS = 9;
/** How long an aircraft is received at its stand before departure and after arrival. */
const PARKED_MS = [25_000, 150_000] as const;
/** Distance over which a taxiing aircraft reaches its speed, or stops. */
const TAXI_RAMP_M = 25;
/** Metres of height lost per metre on final approach: a glide path of 3°. */
const GLIDE_SLOPE = Math.tan((3 * Math.PI) / 180);

export function transportProfile(course: TransportCourse, legs: TransportLegs, dice: Dice): MotionProfile {
  const { performance, from, to } = course;
  const profile = profileFrom(from.elevationM);
  profile.above(from.elevationM);
  profile.stand(dice.between(...PARKED_MS), from.elevationM);
  taxi(profile, legs.takeOffM, 0, from.elevationM);
  profile.stand(dice.between(15_000, 50_000), from.elevationM);
  takeOff(profile, performance, from.elevationM);

  profile.above(undefined);
  const arrivalM = to.elevationM + performance.arrivalHeightM;
  cruise(profile, course, legs.leaveM, arrivalM, dice);
  profile.moveOver(legs.holdEndM - profile.alongM, performance.terminalMps, arrivalM);

  profile.above(to.elevationM);
  const glideM = legs.touchdownM - legs.finalM;
  profile.moveOver(legs.finalM - profile.alongM, performance.approachMps * 1.2, to.elevationM + glideM * GLIDE_SLOPE);
  profile.moveOver(legs.touchdownM - profile.alongM, performance.approachMps, to.elevationM);
  profile.moveOver(legs.turnOffM - profile.alongM, TAXI_MPS, to.elevationM);
  taxi(profile, legs.endM, TAXI_MPS, to.elevationM);
  profile.stand(dice.between(...PARKED_MS), to.elevationM);
  return profile.build();
}

function taxi(profile: ProfileBuilder, untilM: number, enterMps: number, elevationM: number): void {
  if (enterMps === 0) profile.moveOver(TAXI_RAMP_M, TAXI_MPS, elevationM);
  profile.moveOver(untilM - TAXI_RAMP_M - profile.alongM, TAXI_MPS, elevationM);
  profile.moveOver(untilM - profile.alongM, 0, elevationM);
}

function takeOff(profile: ProfileBuilder, performance: Performance, elevationM: number): void {
  profile.moveFor((performance.liftOffMps / 2.2) * 1000, performance.liftOffMps, elevationM);
  profile.moveFor(80_000, performance.terminalMps, elevationM + 80 * performance.climbMps);
}

/** Climb to a level that leaves room for the descent, level flight, descent to the end of the airway. */
function cruise(profile: ProfileBuilder, course: TransportCourse, leaveM: number, arrivalM: number, dice: Dice): void {
  const { performance, cruiseMps } = course;
  const { climbMps, descentMps, terminalMps } = performance;
  const wayM = leaveM - profile.alongM;
  const lowestM = Math.max(profile.altitudeM, arrivalM);
  const meanMps = (cruiseMps + terminalMps) / 2;
  const climbWayM = (levelM: number) => ((levelM - profile.altitudeM) / climbMps) * meanMps;
  const descentWayM = (levelM: number) => ((levelM - arrivalM) / descentMps) * meanMps;
  let levelM = dice.pick(levelsM(course));
  while (levelM <= lowestM) levelM += 2000 * FOOT_M;
  while (levelM > lowestM && climbWayM(levelM) + descentWayM(levelM) > wayM * 0.85) levelM -= 1000 * FOOT_M;
  if (levelM <= lowestM) {
    // The leg is too short for a cruising level: fly at the height of its higher end.
    profile.moveOver(wayM * 0.15, cruiseMps, lowestM);
    profile.moveOver(wayM * 0.7, cruiseMps, lowestM);
  } else {
    profile.moveFor(((levelM - profile.altitudeM) / climbMps) * 1000, cruiseMps, levelM);
    profile.moveOver(leaveM - descentWayM(levelM) - profile.alongM, cruiseMps, levelM);
  }
  profile.moveOver(leaveM - profile.alongM, terminalMps, arrivalM);
}

/** Odd thousands of feet eastbound, even westbound: the semicircular rule of ICAO Annex 2. In metres. */
function levelsM({ performance, isEastbound }: TransportCourse): number[] {
  return performance.cruiseLevelsFt
    .filter((level) => (Math.floor(level / 1000) % 2 === 1) === isEastbound)
    .map((level) => level * FOOT_M);
}

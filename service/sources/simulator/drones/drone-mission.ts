import type { Dice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { fromLocal, type LocalPoint, offset } from '../motion/local-frame.ts';
import { type ProfileBuilder, profileFrom } from '../motion/motion-profile.ts';
import type { Movement } from '../motion/movement.ts';
import { makePath } from '../motion/path.ts';
import type { DroneSite } from './drone-sites.ts';

/** The ceiling of the open category (Regulation (EU) 2019/947, UAS.OPEN.010). */
export const MISSION_CEILING_AGL_M = 120;

/** Missions stay within this distance of their site. */
export const MISSION_REACH_M = 2500;

const CLIMB_MPS = 3;
const DESCENT_MPS = 2;
const TRANSIT_MPS = 12;
/** Distance over which a multirotor accelerates, or brakes before a corner. */
const RAMP_M = 15;
/** Time reserved for the return, the landing and standing on the ground. */
const RESERVE_MS = 3.2 * MINUTE_MS;

/**
 * One mission from a site, at most `durationMs` long: vertical take-off, transit, work, return, landing. The work is a
 * survey in lawn-mower rows or an inspection from point to point, both with hovering.
 */
export function droneMission(site: DroneSite, dice: Dice, durationMs: number): Movement {
  const home: LocalPoint = { eastM: 0, northM: 0 };
  const ground = site.elevationM;
  const workM = ground + dice.between(25, MISSION_CEILING_AGL_M - 5);
  const profile = profileFrom(ground);
  const points: LocalPoint[] = [home];
  const goTo = (point: LocalPoint, speedMps: number, altitudeM: number) => {
    const last = points.at(-1)!;
    leg(profile, Math.hypot(point.eastM - last.eastM, point.northM - last.northM), speedMps, altitudeM);
    points.push(point);
  };
  const hover = (lowMs: number, highMs: number) => profile.stand(dice.between(lowMs, highMs), profile.altitudeM);
  const endsAtMs = durationMs - RESERVE_MS;

  profile.above(ground);
  profile.stand(dice.between(10_000, 40_000), ground);
  profile.stand(((workM - ground) / CLIMB_MPS) * 1000, workM);
  hover(4_000, 15_000);
  const area = offset(home, dice.between(0, 360), dice.between(80, 700), 0);
  goTo(area, TRANSIT_MPS, workM);
  hover(3_000, 10_000);

  if (dice.chance(0.65)) {
    const headingDeg = dice.between(0, 360);
    const rowM = dice.between(150, 450);
    const spacingM = dice.between(18, 40);
    const speedMps = dice.between(5, 8);
    for (let row = 0; profile.elapsedMs + (rowM / speedMps) * 1500 < endsAtMs; row++) {
      // After 16 rows the area is covered, and is flown again from the last row back to the first.
      const rank = row % 32 < 16 ? row % 16 : 15 - (row % 16);
      goTo(offset(area, headingDeg, row % 2 === 0 ? 0 : rowM, rank * spacingM), speedMps, workM);
      goTo(offset(area, headingDeg, row % 2 === 0 ? rowM : 0, rank * spacingM), speedMps, workM);
      if (dice.chance(0.08) && profile.elapsedMs + 45_000 < endsAtMs) hover(15_000, 40_000);
    }
  } else {
    while (profile.elapsedMs + 110_000 < endsAtMs) {
      const spot = offset(area, dice.between(0, 360), dice.between(10, 160), 0);
      goTo(spot, dice.between(3, 6), ground + dice.between(15, MISSION_CEILING_AGL_M - 5));
      hover(12_000, 60_000);
    }
  }

  goTo(home, TRANSIT_MPS, profile.altitudeM);
  hover(3_000, 8_000);
  profile.stand(((profile.altitudeM - ground) / DESCENT_MPS) * 1000, ground);
  profile.stand(dice.between(10_000, 30_000), ground);
  return { path: makePath(points.map((point) => fromLocal(site, point))), profile: profile.build() };
}

function leg(profile: ProfileBuilder, distanceM: number, speedMps: number, altitudeM: number): void {
  const rampM = Math.min(RAMP_M, distanceM / 2);
  const fromM = profile.altitudeM;
  const altitudeAt = (part: number) => fromM + (altitudeM - fromM) * part;
  profile.moveOver(rampM, speedMps, altitudeAt(rampM / distanceM));
  profile.moveOver(distanceM - 2 * rampM, speedMps, altitudeAt(1 - rampM / distanceM));
  profile.moveOver(rampM, 0, altitudeM);
}

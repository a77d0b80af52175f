import { destination } from '#lib/geo/great-circle.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Airport } from './airports.ts';
import { CHANCE, within } from './chance.ts';
import { DRONE_COVERAGE } from './reception.ts';
import type { Flight, Track } from './track.ts';

/** Hovers at each stop. The first and last leg are vertical, at home. */
const LEG_MS = 60 * SECOND_MS;
const MOVING_MS = 40 * SECOND_MS;
const LEGS = [16, 26] as const;
const RESTING_MS = 20 * SECOND_MS;
/** Distance of stops from home, east and north. */
const STOP_REACH_M = 100;
/** Below the ceiling of the open category: 120 m (Regulation (EU) 2019/947, UAS.OPEN.010). */
const STOP_HEIGHT_M = [20, 115] as const;
const SITE_DISTANCE_M = [1500, 8000] as const;

const RAD = Math.PI / 180;

export function droneTrack(seed: number, index: number, airport: Airport): Track {
  const key = seededKey(seed, CHANCE.drone, index);
  const chance = (what: number) => seededUnit(key, what);
  const home = destination(
    airport,
    360 * chance(CHANCE.standBearing),
    within(SITE_DISTANCE_M, chance(CHANCE.standDistance)),
  );
  const legs = Math.floor(within(LEGS, chance(CHANCE.shape)));
  return {
    layer: 'rid',
    index,
    key,
    coverage: DRONE_COVERAGE,
    centre: home,
    reachM: Math.SQRT2 * STOP_REACH_M,
    movingMs: legs * LEG_MS,
    restingMs: RESTING_MS,
    motion(flight, movingMs) {
      const leg = Math.min(legs - 1, Math.floor(movingMs / LEG_MS));
      const [from, to] = [stopOf(flight, leg, legs), stopOf(flight, leg + 1, legs)];
      const part = Math.min(1, (movingMs - leg * LEG_MS) / MOVING_MS);
      const eased = part * part * (3 - 2 * part);
      const [legEastM, legNorthM] = [to.eastM - from.eastM, to.northM - from.northM];
      const [eastM, northM] = [from.eastM + eased * legEastM, from.northM + eased * legNorthM];
      const heightAglM = from.heightM + eased * (to.heightM - from.heightM);
      return {
        ...destination(home, Math.atan2(eastM, northM) / RAD, Math.hypot(eastM, northM)),
        altitudeM: airport.elevationM + heightAglM,
        heightAglM,
        speedMps: (Math.hypot(legEastM, legNorthM) * 6 * part * (1 - part) * 1000) / MOVING_MS,
        headingDeg: 360 + Math.atan2(legEastM, legNorthM) / RAD,
      };
    },
  };
}

function stopOf({ key }: Flight, stop: number, legs: number) {
  const isOnGround = stop === 0 || stop === legs;
  const isAtHome = isOnGround || stop === 1 || stop === legs - 1;
  const offsetM = (what: number) => (isAtHome ? 0 : STOP_REACH_M * (2 * seededUnit(key, what, stop) - 1));
  return {
    eastM: offsetM(CHANCE.stopEast),
    northM: offsetM(CHANCE.stopNorth),
    heightM: isOnGround ? 0 : within(STOP_HEIGHT_M, seededUnit(key, CHANCE.stopHeight, stop)),
  };
}

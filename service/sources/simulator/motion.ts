import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Airport } from './airports.ts';
import { DENSE_COVERAGE, DRONE_COVERAGE, REMOTE_COVERAGE } from './reception.ts';
import { CHANCE, type Flight, type Range, type SimulatedTrack, within } from './track.ts';

const RAD = Math.PI / 180;

interface Performance {
  readonly cruiseMps: Range;
  readonly levelKft: Range;
  /** The runway used from rest to lift-off, and from touchdown to rest. */
  readonly rollM: number;
}

const JET: Performance = { cruiseMps: [222, 250], levelKft: [31, 40], rollM: 3000 };
const TURBOPROP: Performance = { cruiseMps: [130, 145], levelKft: [16, 24], rollM: 1500 };
const PISTON: Performance = { cruiseMps: [45, 60], levelKft: [5, 10], rollM: 500 };
const TURBOPROP_FROM_M = 150_000;
const JET_FROM_M = 400_000;
/** Beyond this, airports have an ocean or a pole between them. */
const REMOTE_FROM_M = 4_600_000;

const ACCELERATION_MPS2 = 0.5;
/** Height gained per metre after lift-off, and lost before touchdown: 3°. */
const SLOPE = 0.0524;
const KILOFOOT_M = 304.8;
const PATTERN_HEIGHT_M = 300;
const CIRCUITS = 8;
/** Within this distance, the ground is as high as the airport. */
const FIELD_REACH_M = 12_000;
const AIRCRAFT_RESTING_MS = 3 * MINUTE_MS;

/** An aircraft that flies from one airport to the other and back, or circuits if both are the same. */
export function aircraftTrack(seed: number, index: number, [from, to]: readonly [Airport, Airport]): SimulatedTrack {
  const key = seededKey(seed, CHANCE.aircraft, index);
  const chance = (what: number, which = 0) => seededUnit(key, what, which);
  const gate = (airport: Airport) =>
    destination(airport, 360 * chance(CHANCE.standBearing), within([200, 900], chance(CHANCE.standDistance)));
  const isCircuit = from === to;
  const route = isCircuit
    ? circuit(from, within([4000, 5000], chance(CHANCE.shape)), within([750, 950], chance(CHANCE.shape, 1)))
    : greatCircle(from, to, gate);
  const { lengthM, centre, reachM } = route;
  const performance = lengthM > JET_FROM_M ? JET : lengthM > TURBOPROP_FROM_M ? TURBOPROP : PISTON;
  const totalM = lengthM * (isCircuit ? CIRCUITS : 1);
  const run = restToRest(totalM, within(performance.cruiseMps, chance(CHANCE.speed)), ACCELERATION_MPS2);
  return {
    layer: 'adsb',
    index,
    key,
    coverage: lengthM > REMOTE_FROM_M ? REMOTE_COVERAGE : DENSE_COVERAGE,
    centre,
    reachM,
    movingMs: run.durationMs,
    restingMs: AIRCRAFT_RESTING_MS,
    motion(flight, movingMs) {
      const { alongM, speedMps } = runAt(run, movingMs);
      const isReturn = flight.number % 2 !== 0;
      const flownM = isCircuit ? alongM % lengthM : alongM;
      const onRouteM = isReturn ? lengthM - flownM : flownM;
      const { lon, lat, headingDeg } = route.at(onRouteM);
      return {
        lon,
        lat,
        speedMps,
        headingDeg: isReturn ? headingDeg + 180 : headingDeg,
        ...heightOn(route, onRouteM, performance, seededUnit(flight.key, CHANCE.level)),
      };
    },
  };
}

/** @param unit selects the cruising level, 0 to 1 */
function heightOn({ from, to, lengthM }: Route, alongM: number, { levelKft, rollM }: Performance, unit: number) {
  const climbM = (distanceM: number) => SLOPE * Math.max(0, distanceM - rollM);
  const lowestM = Math.max(from.elevationM, to.elevationM) + PATTERN_HEIGHT_M;
  const levelM = from === to ? lowestM : Math.max(lowestM, KILOFOOT_M * Math.round(within(levelKft, unit)));
  const altitudeM = Math.min(levelM, from.elevationM + climbM(alongM), to.elevationM + climbM(lengthM - alongM));
  const nearest = alongM < lengthM / 2 ? from : to;
  const isNear = Math.min(alongM, lengthM - alongM) < FIELD_REACH_M;
  return { altitudeM, heightAglM: isNear ? Math.max(0, altitudeM - nearest.elevationM) : null };
}

/** A run that accelerates from rest, cruises and brakes to rest again. */
interface RestToRest {
  readonly lengthM: number;
  readonly topMps: number;
  readonly rampMs: number;
  readonly durationMs: number;
}

/** @param maxMps not reached in a short run */
function restToRest(lengthM: number, maxMps: number, accelerationMps2: number): RestToRest {
  const topMps = Math.min(maxMps, Math.sqrt(lengthM * accelerationMps2));
  const rampMs = (topMps / accelerationMps2) * 1000;
  return { lengthM, topMps, rampMs, durationMs: (lengthM / topMps) * 1000 + rampMs };
}

function runAt(run: RestToRest, elapsedMs: number): { readonly alongM: number; readonly speedMps: number } {
  const { lengthM, topMps, rampMs, durationMs } = run;
  const leftMs = durationMs - elapsedMs;
  const speedMps = topMps * Math.min(1, elapsedMs / rampMs, leftMs / rampMs);
  if (elapsedMs < rampMs) return { alongM: (speedMps * elapsedMs) / 2000, speedMps };
  if (leftMs < rampMs) return { alongM: lengthM - (speedMps * leftMs) / 2000, speedMps };
  return { alongM: (topMps * (elapsedMs - rampMs / 2)) / 1000, speedMps };
}

/** A way on the ground from one airport to another, or closed. */
interface Route {
  readonly from: Airport;
  readonly to: Airport;
  readonly lengthM: number;
  /** All its points are within `reachM` of this. */
  readonly centre: LonLat;
  readonly reachM: number;
  /** @param alongM 0 to `lengthM` */
  at(alongM: number): LonLat & { readonly headingDeg: number };
}

/** @param gate where the aircraft stands at an airport */
function greatCircle(from: Airport, to: Airport, gate: (airport: Airport) => LonLat): Route {
  const [start, end] = [gate(from), gate(to)];
  const lengthM = distanceM(start, end);
  const bearing = bearingDeg(start, end);
  return {
    from,
    to,
    lengthM,
    centre: destination(start, bearing, lengthM / 2),
    reachM: lengthM / 2,
    at(alongM) {
      const place = destination(start, bearing, alongM);
      // The bearing to the nearer end becomes undefined.
      const headingDeg = alongM < lengthM / 2 ? bearingDeg(place, end) : bearingDeg(place, start) + 180;
      return { ...place, headingDeg };
    },
  };
}

/** Two straight legs, the first along the runway, joined by half turns to the right. */
function circuit(field: Airport, legM: number, radiusM: number): Route {
  const halfM = legM + Math.PI * radiusM;
  return {
    from: field,
    to: field,
    lengthM: 2 * halfM,
    centre: field,
    reachM: Math.hypot(legM / 2 + radiusM, 2 * radiusM),
    at(alongM) {
      // The second half is the first, turned by 180° around the centre.
      const isSecond = alongM % (2 * halfM) >= halfM;
      const inHalfM = alongM % halfM;
      const turnRad = Math.max(0, Math.min(Math.PI, (inHalfM - legM / 2) / radiusM));
      const straightM = inHalfM < legM / 2 ? inHalfM : Math.min(legM / 2, halfM - inHalfM);
      const aheadM = straightM + radiusM * Math.sin(turnRad);
      const rightM = radiusM - radiusM * Math.cos(turnRad);
      const [x, y] = isSecond ? [-aheadM, 2 * radiusM - rightM] : [aheadM, rightM];
      const headingDeg = field.runwayDeg + turnRad / RAD + (isSecond ? 180 : 0);
      return { ...destination(field, field.runwayDeg + Math.atan2(y, x) / RAD, Math.hypot(x, y)), headingDeg };
    },
  };
}

/** A drone hovers at each stop for the rest of a leg. The first and last leg are vertical, at home. */
const LEG_MS = 60 * SECOND_MS;
const LEG_MOVING_MS = 40 * SECOND_MS;
const LEGS = [16, 26] as const;
const DRONE_RESTING_MS = 20 * SECOND_MS;
/** How far stops are from home, to the east and to the north. */
const STOP_REACH_M = 100;
/** Stops are below the ceiling of the open category: 120 m (Regulation (EU) 2019/947, UAS.OPEN.010). */
const STOP_HEIGHT_M = [20, 115] as const;
const SITE_DISTANCE_M = [1500, 8000] as const;

/** A drone that flies from stop to stop near an airport, and lands where it started. */
export function droneTrack(seed: number, index: number, airport: Airport): SimulatedTrack {
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
    restingMs: DRONE_RESTING_MS,
    motion(flight, movingMs) {
      const leg = Math.min(legs - 1, Math.floor(movingMs / LEG_MS));
      const [from, to] = [stopOf(flight, leg, legs), stopOf(flight, leg + 1, legs)];
      const part = Math.min(1, (movingMs - leg * LEG_MS) / LEG_MOVING_MS);
      const eased = part * part * (3 - 2 * part);
      const [legEastM, legNorthM] = [to.eastM - from.eastM, to.northM - from.northM];
      const [eastM, northM] = [from.eastM + eased * legEastM, from.northM + eased * legNorthM];
      const heightAglM = from.heightM + eased * (to.heightM - from.heightM);
      return {
        ...destination(home, Math.atan2(eastM, northM) / RAD, Math.hypot(eastM, northM)),
        altitudeM: airport.elevationM + heightAglM,
        heightAglM,
        speedMps: (Math.hypot(legEastM, legNorthM) * 6 * part * (1 - part) * 1000) / LEG_MOVING_MS,
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

import { destination } from '#lib/geo/great-circle.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Airport } from './airports.ts';
import { CHANCE, type Range, within } from './chance.ts';
import { DENSE_COVERAGE, REMOTE_COVERAGE } from './reception.ts';
import { restToRest, runAt } from './rest-to-rest.ts';
import { circuit, greatCircle, type Route } from './routes.ts';
import type { Track } from './track.ts';

interface Performance {
  readonly cruiseMps: Range;
  readonly levelKft: Range;
  /** From rest to lift-off and from touchdown to rest. */
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
const RESTING_MS = 3 * MINUTE_MS;

/** Circuits if both airports are the same. */
export function aircraftTrack(seed: number, index: number, [from, to]: readonly [Airport, Airport]): Track {
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
    restingMs: RESTING_MS,
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

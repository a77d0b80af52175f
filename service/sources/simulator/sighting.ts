import { wrapLongitude } from '#lib/geo/longitude.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { CHANCE } from './chance.ts';
import { tickMs } from './reception.ts';
import { type Flight, type Motion, motionAt } from './track.ts';

export interface Sighting {
  readonly flight: Flight;
  readonly elapsedMs: number;
  /** Without the error of reception. */
  readonly motion: Motion;
  readonly lon: number;
  readonly lat: number;
}

/** Of latitude, accurate enough for errors. */
const METRES_PER_DEGREE = 111_195;
/** East and north. */
const ERROR_MAX_M = { adsb: 12, rid: 1.5 };

export function sightingAt(flight: Flight, tick: number): Sighting {
  const elapsedMs = tickMs(flight, tick);
  const motion = motionAt(flight, elapsedMs);
  const errorDeg = (what: number) =>
    ((2 * seededUnit(flight.key, what, tick) - 1) * ERROR_MAX_M[flight.track.layer]) / METRES_PER_DEGREE;
  const eastDeg = errorDeg(CHANCE.noiseEast) / Math.max(0.01, Math.cos((motion.lat * Math.PI) / 180));
  return {
    flight,
    elapsedMs,
    motion,
    lon: wrapLongitude(rounded(wrapLongitude(motion.lon + eastDeg))),
    lat: rounded(motion.lat + errorDeg(CHANCE.noiseNorth)),
  };
}

export function sightedAtMs({ flight, elapsedMs }: Sighting): number {
  return flight.startMs + elapsedMs;
}

function rounded(deg: number): number {
  return Math.round(deg * 1e6) / 1e6;
}

import { wrapLongitude } from '#lib/geo/longitude.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { type Flight, motionOf } from '../flights/flight.ts';
import type { Motion } from '../motion/motion-profile.ts';
import { pointAlong } from '../motion/path.ts';

/** The reported position of a flight at one of its ticks. */
export interface Sighting {
  readonly flight: Flight;
  /** In ms since the flight's start. */
  readonly elapsedMs: number;
  /** The true motion, without noise. */
  readonly motion: Motion;
  readonly lon: number;
  readonly lat: number;
}

/** Metres in a degree of latitude, accurate enough for noise. */
const METRES_PER_DEGREE = 111_195;
/** The maximum error of a reported position in each direction. */
const NOISE_M = { adsb: 12, rid: 1.5 };
const [NOISE_EAST, NOISE_NORTH] = [301, 302];

/** `elapsedMs` is when the tick is due. */
export function sightingAt(flight: Flight, tick: number, elapsedMs: number): Sighting {
  const { key, layer, movement } = flight;
  const motion = motionOf(flight, elapsedMs);
  const place = pointAlong(movement.path, motion.alongM);
  const noiseDeg = NOISE_M[layer] / METRES_PER_DEGREE;
  const east = (2 * seededUnit(key, NOISE_EAST, tick) - 1) / Math.max(0.01, Math.cos((place.lat * Math.PI) / 180));
  const north = 2 * seededUnit(key, NOISE_NORTH, tick) - 1;
  return {
    flight,
    elapsedMs,
    motion,
    lon: wrapLongitude(roundedDeg(wrapLongitude(place.lon + east * noiseDeg))),
    lat: roundedDeg(place.lat + north * noiseDeg),
  };
}

function roundedDeg(deg: number): number {
  return Math.round(deg * 1e6) / 1e6;
}

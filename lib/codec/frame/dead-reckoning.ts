import { KEPT_EXACTLY, type QuantisedRecords, STEPS_PER_UNIT } from '../quantised-records.ts';
import { cosineOfDeg, sineOfDeg } from './sine.ts';

export interface Place {
  /** Both in steps of QuantisedRecords. */
  lon: number;
  lat: number;
}

/** On a sphere with the Earth's mean radius, 6,371,008.8 m. */
const METRES_PER_DEG = 111_195.08;
/** Longer predictions are useless: the track will have turned. */
const MAX_ELAPSED_MS = 120_000;
/** About 0.6 km from a pole; closer to it, longitudes are meaningless. */
const MIN_COSINE = 1e-4;

const HALF_TURN = 180 * STEPS_PER_UNIT.lon;

/**
 * Predicts a record's position after `elapsedMs` from its speed and heading; its last position if either is not reported.
 * Encoder and decoder must compute identical integers, so only operations with exactly specified results are used
 * (ECMA-262, IEEE 754).
 */
export function deadReckon(before: QuantisedRecords, index: number, elapsedMs: number, place: Place): void {
  const { lon, lat, speedMps, headingDeg } = before.quantities;
  const speed = speedMps.steps[index] as number;
  const heading = headingDeg.steps[index] as number;
  place.lon = lon.steps[index] as number;
  place.lat = lat.steps[index] as number;
  if (speed <= KEPT_EXACTLY || heading <= KEPT_EXACTLY || place.lon <= KEPT_EXACTLY || place.lat <= KEPT_EXACTLY)
    return;
  if (Math.abs(elapsedMs) > MAX_ELAPSED_MS) return;
  const angleDeg = heading / STEPS_PER_UNIT.headingDeg;
  const movedDeg = ((speed / STEPS_PER_UNIT.speedMps) * (elapsedMs / 1000)) / METRES_PER_DEG;
  const northDeg = movedDeg * sineOfDeg(90 - angleDeg);
  const cosine = cosineOfDeg(place.lat / STEPS_PER_UNIT.lat + northDeg / 2);
  place.lat = Math.round(place.lat + northDeg * STEPS_PER_UNIT.lat) | 0;
  if (cosine < MIN_COSINE) return;
  const eastDeg = (movedDeg * sineOfDeg(angleDeg)) / cosine;
  place.lon = acrossAntimeridian(Math.round(place.lon + eastDeg * STEPS_PER_UNIT.lon)) | 0;
}

function acrossAntimeridian(lon: number): number {
  if (lon > HALF_TURN) return lon - 2 * HALF_TURN;
  return lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
}

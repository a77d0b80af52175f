import { KEPT_EXACTLY, type QuantisedRecords, STEPS_PER_UNIT } from '../quantised-records.ts';
import { cosineOfDeg, sineOfDeg } from './sine.ts';

export interface Place {
  /** In steps of QuantisedRecords. */
  lon: number;
  lat: number;
}

/** On a sphere of the earth's mean radius, 6,371,008.8 m. */
const METRES_PER_DEG = 111_195.08;
/** Beyond that a track has long turned. */
const MAX_ELAPSED_MS = 120_000;
/** Nearer to a pole than half a kilometre a longitude says nothing. */
const MIN_COSINE = 1e-4;

const HALF_TURN = 180 * STEPS_PER_UNIT.lon;

/**
 * Where a record will be after `elapsedMs`, straight on at its speed and heading; where it was if either is not reported. Only
 * operations whose result is fixed to the last bit (ECMA-262, IEEE 754): both ends must come to the same integers.
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

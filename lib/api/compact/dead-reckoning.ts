import { KEPT_EXACTLY, type QuantisedRecords, UNITS_PER } from './quantised-records.ts';
import { cosineOfDeg, sineOfDeg } from './sine.ts';

export interface Place {
  /** In units of QuantisedRecords. */
  lon: number;
  lat: number;
}

/** On a sphere of the earth's mean radius, 6,371,008.8 m. */
const METRES_PER_DEG = 111_195.08;
/** Beyond that a track has long turned. */
const LONGEST_MS = 120_000;
/** Nearer to a pole than half a kilometre a longitude says nothing. */
const LEAST_COSINE = 1e-4;

const HALF_TURN = 180 * UNITS_PER.lon;

/**
 * Where a record will be after `elapsedMs`, straight on at its speed and heading; where it was if either is not reported. Only
 * operations whose result is fixed to the last bit (ECMA-262, IEEE 754): both ends must come to the same integers.
 */
export function deadReckon(before: QuantisedRecords, index: number, elapsedMs: number, place: Place): void {
  const { lon, lat, speedMps, headingDeg } = before.quantities;
  const speed = speedMps.units[index] as number;
  const heading = headingDeg.units[index] as number;
  place.lon = lon.units[index] as number;
  place.lat = lat.units[index] as number;
  if (speed <= KEPT_EXACTLY || heading <= KEPT_EXACTLY || place.lon <= KEPT_EXACTLY || place.lat <= KEPT_EXACTLY)
    return;
  if (Math.abs(elapsedMs) > LONGEST_MS) return;
  const angleDeg = heading / UNITS_PER.headingDeg;
  const movedDeg = ((speed / UNITS_PER.speedMps) * (elapsedMs / 1000)) / METRES_PER_DEG;
  const northDeg = movedDeg * sineOfDeg(90 - angleDeg);
  const cosine = cosineOfDeg(place.lat / UNITS_PER.lat + northDeg / 2);
  place.lat = Math.round(place.lat + northDeg * UNITS_PER.lat) | 0;
  if (cosine < LEAST_COSINE) return;
  const eastDeg = (movedDeg * sineOfDeg(angleDeg)) / cosine;
  place.lon = acrossAntimeridian(Math.round(place.lon + eastDeg * UNITS_PER.lon)) | 0;
}

function acrossAntimeridian(lon: number): number {
  if (lon > HALF_TURN) return lon - 2 * HALF_TURN;
  return lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
}

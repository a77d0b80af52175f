import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import type { Observation } from '../observation.ts';
import { type Flight, motionOf } from './flight.ts';
import type { Motion } from './motion-profile.ts';
import { courseDeg } from './movement.ts';
import { pointAlong } from './path.ts';
import { qualityAt } from './quality.ts';
import { tickMs } from './received-ticks.ts';
import { seededUnit } from './seeded-random.ts';

/** Metres in a degree of latitude, near enough for noise. */
const METRES_A_DEGREE = 111_195;
/** ADS-B reports altitude in steps of 25 ft. */
const ALTITUDE_STEP_M = 7.62;
/** Heights above ground are given for low aircraft only. */
const AIRCRAFT_HEIGHT_BELOW_M = 1200;
/** How far off a reported position is, at most, in each direction. */
const NOISE_M = { adsb: 12, rid: 1.5 };
const [NOISE_EAST, NOISE_NORTH] = [301, 302];

/** What is received of the flight at a tick, where its place lies in the box. */
export function observe(flight: Flight, tick: number, bbox: Bbox): Observation | undefined {
  const { key, layer, traits, movement } = flight;
  const elapsedMs = tickMs(flight, tick);
  const motion = motionOf(flight, elapsedMs);
  const place = pointAlong(movement.path, motion.alongM);
  const noiseDeg = NOISE_M[layer] / METRES_A_DEGREE;
  const east = (2 * seededUnit(key, NOISE_EAST, tick) - 1) / Math.max(0.01, Math.cos((place.lat * Math.PI) / 180));
  const north = 2 * seededUnit(key, NOISE_NORTH, tick) - 1;
  const lat = rounded(place.lat + north * noiseDeg, 1e6);
  const lon = wrapLongitude(rounded(place.lon + east * noiseDeg, 1e6));
  if (!bboxContains(bbox, lon, lat)) return undefined;

  const isMoving = motion.speedMps > 0;
  const reportsHeading = traits.reportsHeading === 'always' || (traits.reportsHeading === 'moving' && isMoving);
  const quality = qualityAt(flight, elapsedMs);
  return {
    sourceId: flight.sourceId,
    layer,
    observedAt: instantFromMs(flight.startMs + elapsedMs),
    lon,
    lat,
    altitudeM: traits.reportsAltitude ? reportedAltitude(flight, motion) : null,
    heightAglM: traits.reportsHeight ? reportedHeight(flight, motion) : null,
    speedMps: traits.reportsSpeed ? rounded(motion.speedMps, 10) : null,
    headingDeg: reportsHeading ? rounded(courseDeg(movement, motion.alongM, motion.speedMps), 10) % 360 : null,
    confidence: quality.confidence,
    confidenceScore: quality.confidenceScore,
    receiverCount: quality.receiverCount,
    simulated: true,
    testBroadcast: traits.isTest,
    emergencyState: emergencyAt(flight, elapsedMs),
  };
}

function reportedAltitude(flight: Flight, motion: Motion): number {
  if (flight.layer === 'rid') return rounded(motion.altitudeM, 10);
  return rounded(Math.round(motion.altitudeM / ALTITUDE_STEP_M) * ALTITUDE_STEP_M, 100);
}

function reportedHeight(flight: Flight, motion: Motion): number | null {
  if (motion.groundM === undefined) return null;
  const heightM = Math.max(0, motion.altitudeM - motion.groundM);
  if (flight.layer === 'adsb' && heightM >= AIRCRAFT_HEIGHT_BELOW_M) return null;
  return rounded(heightM, 10);
}

function emergencyAt({ traits, startMs, endMs }: Flight, elapsedMs: number): string | null {
  const { emergency } = traits;
  return emergency && elapsedMs >= emergency.fromPart * (endMs - startMs) ? emergency.state : traits.calmState;
}

function rounded(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}

import { upstreamInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED, type Observation } from '../../observation.ts';
import type { Flight } from '../flights/flight.ts';
import type { Motion } from '../motion/motion-profile.ts';
import { courseDeg } from '../motion/movement.ts';
import { qualityAt } from './quality.ts';
import type { Sighting } from './sighting.ts';

/** ADS-B reports altitude in steps of 25 ft. */
const ALTITUDE_STEP_M = 7.62;
/** Only aircraft below this height report it. */
const AIRCRAFT_HEIGHT_BELOW_M = 1200;

/** The observation that is received at a sighting. */
export function observe({ flight, elapsedMs, motion, lon, lat }: Sighting): Observation {
  const { layer, traits, movement } = flight;
  const isMoving = motion.speedMps > 0;
  const reportsHeading = traits.reportsHeading === 'always' || (traits.reportsHeading === 'moving' && isMoving);
  const quality = qualityAt(flight, elapsedMs);
  return {
    ...NOTHING_REPORTED,
    sourceId: flight.sourceId,
    layer,
    observedAt: upstreamInstant(flight.startMs + elapsedMs),
    lon,
    lat,
    altitudeM: traits.reportsAltitude ? reportedAltitude(flight, motion) : null,
    heightAglM: traits.reportsHeight ? reportedHeight(flight, motion) : null,
    speedMps: traits.reportsSpeed ? tenths(motion.speedMps) : null,
    headingDeg: reportsHeading ? tenths(courseDeg(movement, motion.alongM, motion.speedMps)) % 360 : null,
    confidence: quality.confidence,
    confidenceScore: quality.confidenceScore,
    receiverCount: quality.receiverCount,
    simulated: true,
    testBroadcast: traits.isTest,
    emergencyState: emergencyAt(flight, elapsedMs),
  };
}

function reportedAltitude(flight: Flight, motion: Motion): number {
  if (flight.layer === 'rid') return tenths(motion.altitudeM);
  return Math.round(Math.round(motion.altitudeM / ALTITUDE_STEP_M) * ALTITUDE_STEP_M * 100) / 100;
}

function reportedHeight(flight: Flight, motion: Motion): number | null {
  if (motion.groundM === undefined) return null;
  const heightM = Math.max(0, motion.altitudeM - motion.groundM);
  if (flight.layer === 'adsb' && heightM >= AIRCRAFT_HEIGHT_BELOW_M) return null;
  return tenths(heightM);
}

function emergencyAt({ traits, startMs, endMs }: Flight, elapsedMs: number): string | null {
  const { emergency } = traits;
  return emergency && elapsedMs >= emergency.fromPart * (endMs - startMs) ? emergency.state : traits.calmState;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

import { upstreamInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED, type Observation } from '../../sources/observation.ts';
import type { Fix } from '../fix.ts';
import type { Confidence } from './confidence.ts';

/** The observation that a fix of a station's message becomes when it is served. */
export function observationOfFix(
  fix: Fix,
  observedMs: number,
  { sourceId, simulated }: Pick<Observation, 'sourceId' | 'simulated'>,
  confidence: Confidence,
): Observation {
  return {
    ...NOTHING_REPORTED,
    sourceId,
    layer: fix.layer,
    observedAt: upstreamInstant(observedMs),
    lon: fix.lon,
    lat: fix.lat,
    altitudeM: fix.altitudeM,
    heightAglM: fix.heightAglM,
    speedMps: fix.speedMps,
    headingDeg: fix.headingDeg,
    ...confidence,
    simulated,
    testBroadcast: fix.testBroadcast,
    emergencyState: fix.emergencyState,
  };
}

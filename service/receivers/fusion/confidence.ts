import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../../sources/observation.ts';
import type { Fix } from '../fix.ts';
import { HEARD_MS, type Hearing } from './parties.ts';

export type Confidence = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;

export const STALE_AFTER_MS = 15 * SECOND_MS;

/** Hundredths. Not a probability: never compared with true positions. */
const SCORE = {
  base: 35,
  furtherStation: 10,
  furtherStationsMax: 4,
  broadcast: 10,
  measured: -10,
  precise: 10,
  inconsistentMax: 35,
  staleMax: 30,
};

/** NIC 8 (0.1 nautical miles). For drones, 10 m or better. */
const PRECISE_M = { adsb: 186, rid: 10 };

/** @param observedMs ms since 1970 */
export function confidenceOf(
  fix: Fix,
  observedMs: number,
  hearings: readonly Hearing[],
  disagree: boolean,
): Confidence {
  let stations = 0;
  let isAggregated = false;
  for (const { feed, agreedMs } of hearings) {
    if (observedMs - agreedMs > HEARD_MS) continue;
    if (feed.traits.aggregates) isAggregated = true;
    else stations += 1;
  }
  const isCounted = !isAggregated || stations > 1;
  return {
    // An aggregator may include stations that we read ourselves.
    receiverCount: isAggregated ? null : stations,
    confidence: disagree ? 'inconsistent' : !isCounted ? null : stations > 1 ? 'multi_station' : 'single',
    confidenceScore: isCounted ? score(fix, stations, disagree) : null,
  };
}

function score(fix: Fix, stations: number, disagree: boolean): number {
  let hundredths = SCORE.base + SCORE.furtherStation * Math.min(stations - 1, SCORE.furtherStationsMax);
  if (fix.origin === 'broadcast') hundredths += SCORE.broadcast;
  if (fix.origin === 'mlat' || fix.origin === 'tisb') hundredths += SCORE.measured;
  if (fix.accuracyM !== null && fix.accuracyM <= PRECISE_M[fix.layer]) hundredths += SCORE.precise;
  if (disagree) hundredths = Math.min(hundredths, SCORE.inconsistentMax);
  return hundredths / 100;
}

export function asStale(observation: Observation): Observation {
  const { confidence, confidenceScore } = observation;
  return {
    ...observation,
    // Other fields show the age, but not the disagreement.
    confidence: confidence === 'inconsistent' ? confidence : 'stale',
    confidenceScore: confidenceScore === null ? null : Math.min(confidenceScore, SCORE.staleMax / 100),
  };
}

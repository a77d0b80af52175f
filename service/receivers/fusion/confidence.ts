import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../../sources/observation.ts';
import type { Fix } from '../fix.ts';
import { HEARD_MS, type Hearing } from './parties.ts';

/** How sure an observation is: its label, its score and the stations behind it. */
export type Confidence = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;

/** An observation that is older than this when it is served is labelled as stale. */
export const STALE_AFTER_MS = 15 * SECOND_MS;

/**
 * The score is a sum of what speaks for a position, from 0 to 1, in hundredths. It is not a probability: nobody has
 * compared it with where tracks really were.
 */
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

/** NIC 8: the position is within 0.1 nautical miles. Of drones: the accuracy codes of 10 m and better. */
const PRECISE_M = { adsb: 186, rid: 10 };

/**
 * What stands behind a fix.
 * @param observedMs of the fix, ms since 1970
 */
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
    // Behind an aggregator there may be more stations, and it may get what the others send.
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

/** The observation as it is served live when it is old: the past has it as it was when it was new. */
export function asStale(observation: Observation): Observation {
  const { confidence, confidenceScore } = observation;
  return {
    ...observation,
    // That stations disagree about the place is said nowhere else; the age is.
    confidence: confidence === 'inconsistent' ? confidence : 'stale',
    confidenceScore: confidenceScore === null ? null : Math.min(confidenceScore, SCORE.staleMax / 100),
  };
}

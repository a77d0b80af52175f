import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { NOTHING_REPORTED, type Observation, ttlMs } from '../../sources/observation.ts';
import type { Fix, RelayedReport } from '../fix.ts';
import { RECENT_REPORT_MS, type StationReport } from './station-votes.ts';

/**
 * The observation that a fix becomes when it is served, with its confidence by the stations that report the track.
 * @param observedMs ms since 1970
 */
export function observationOfFix(
  fix: Fix,
  observedMs: number,
  {
    sourceId,
    simulated,
    owner,
  }: Pick<Observation, 'sourceId' | 'simulated'> & { readonly owner: { readonly id: string } },
  reports: readonly Readonly<StationReport>[],
  disagree: boolean,
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
    ...(fix.relayed ? relayedConfidence(fix.relayed, owner.id) : confidenceOf(fix, observedMs, reports, disagree)),
    simulated,
    testBroadcast: fix.testBroadcast,
    emergencyState: fix.emergencyState,
  };
}

type Confidence = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;

/** Another service knows more of its stations than we do. */
function relayedConfidence(
  { confidence, confidenceScore, receiverCount }: RelayedReport,
  relayedBy: string,
): Confidence & Pick<Observation, 'relayedBy'> {
  return { confidence, confidenceScore, receiverCount, relayedBy };
}

/** In hundredths. A score is no probability: it was never compared with true positions. */
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

/** The radius of a precise position: NIC 8 (0.1 nautical miles), and 10 m for drones. */
const PRECISE_M = { adsb: 186, rid: 10 };

function confidenceOf(
  fix: Fix,
  observedMs: number,
  reports: readonly Readonly<StationReport>[],
  disagree: boolean,
): Confidence {
  let stations = 0;
  let isAggregated = false;
  for (const { feed, agreedMs } of reports) {
    if (observedMs - agreedMs > RECENT_REPORT_MS) continue;
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

export const STALE_AFTER_MS = 15 * SECOND_MS;

/** The observation as it is served now. `undefined` outside the box, expired or in the future. */
export function liveObservation(observation: Observation, bbox: Bbox, nowMs: number): Observation | undefined {
  if (!bboxContains(bbox, observation.lon, observation.lat)) return undefined;
  const ageMs = nowMs - epochMs(observation.observedAt);
  if (ageMs < 0 || ageMs >= ttlMs(observation.layer)) return undefined;
  return ageMs > STALE_AFTER_MS && observation.relayedBy === undefined ? asStale(observation) : observation;
}

function asStale(observation: Observation): Observation {
  const { confidence, confidenceScore } = observation;
  return {
    ...observation,
    // Other fields show the age, but not the disagreement.
    confidence: confidence === 'inconsistent' ? confidence : 'stale',
    confidenceScore: confidenceScore === null ? null : Math.min(confidenceScore, SCORE.staleMax / 100),
  };
}

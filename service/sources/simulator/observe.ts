import { wrapBearing } from '#lib/geo/longitude.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { NOTHING_REPORTED, type Observation } from '../observation.ts';
import { CHANCE, type Range, within } from './chance.ts';
import { gapStartMs } from './reception.ts';
import { type Sighting, sightedAtMs } from './sighting.ts';
import type { Flight } from './track.ts';

/** Of flights, by field. Few aircraft report their height. */
const UNREPORTED_SHARE = 0.05;
const UNREPORTED_HEIGHT_SHARE = { adsb: 0.7, rid: 0.1 };
/** Aircraft report altitudes in steps of 25 ft. */
const ALTITUDE_STEP_M = { adsb: 7.62, rid: 0.1 };

/** A small `first` gives small fleets one, too. */
const TESTS = { adsb: { every: 160, first: 10 }, rid: { every: 9, first: 4 } };
/** Air ambulances, silent in turn. All fly `alpineHop` (`traffic.ts`). */
const AMBULANCES = [5, 15];
const EMERGENCY_SHARE = { adsb: 0.004, rid: 0.03 };
const EMERGENCY_FROM: Range = [0.2, 0.8];
/** Of ADS-B (DO-260B) by readsb's names; a drone has only one. */
const EMERGENCY_STATES = { adsb: ['general', 'nordo', 'lifeguard', 'minfuel'], rid: ['emergency'] };

const SPELL_MS = 90 * SECOND_MS;
const SCORE_SPELL_MS = 5 * SECOND_MS;
const INCONSISTENT_SHARE = 0.03;
const FADING_MS = 40 * SECOND_MS;

type Quality = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;
const NO_QUALITY: Quality = { confidence: null, confidenceScore: null, receiverCount: null };

export function observe(sighting: Sighting): Observation {
  const { flight, elapsedMs, motion, lon, lat } = sighting;
  const { layer, index } = flight.track;
  let field = 0;
  const unlessUnreported = <Value>(value: Value, share = UNREPORTED_SHARE) =>
    seededUnit(flight.key, CHANCE.unreported, field++) < share ? null : value;
  const quality = unlessUnreported(qualityAt(flight, elapsedMs)) ?? NO_QUALITY;
  const emergency = emergencyAt(flight, elapsedMs);
  return {
    ...NOTHING_REPORTED,
    sourceId: `${layer === 'adsb' ? 'A' : 'D'}-${index}-${flight.number}`,
    layer,
    observedAt: upstreamInstant(sightedAtMs(sighting)),
    lon,
    lat,
    altitudeM: unlessUnreported(rounded(motion.altitudeM, ALTITUDE_STEP_M[layer])),
    heightAglM: unlessUnreported(motion.heightAglM && rounded(motion.heightAglM, 0.1), UNREPORTED_HEIGHT_SHARE[layer]),
    speedMps: unlessUnreported(rounded(motion.speedMps, 0.1)),
    headingDeg: unlessUnreported(wrapBearing(rounded(motion.headingDeg, 0.1))),
    confidence: quality.confidence,
    confidenceScore: unlessUnreported(quality.confidenceScore),
    receiverCount: quality.receiverCount,
    simulated: true,
    testBroadcast: index % TESTS[layer].every === TESTS[layer].first,
    emergencyState: emergency ?? unlessUnreported('unknown'),
  };
}

function emergencyAt({ track, key, startMs, endMs }: Flight, elapsedMs: number): string | undefined {
  const { layer, index } = track;
  if (layer === 'adsb' && AMBULANCES.includes(index % 1000)) return 'lifeguard';
  if (seededUnit(key, CHANCE.emergency) >= EMERGENCY_SHARE[layer]) return undefined;
  if (elapsedMs < (endMs - startMs) * within(EMERGENCY_FROM, seededUnit(key, CHANCE.emergencyStart))) return undefined;
  const states = EMERGENCY_STATES[layer];
  return states[Math.floor(states.length * seededUnit(key, CHANCE.emergencyState))];
}

function qualityAt(flight: Flight, elapsedMs: number): Quality {
  const { key, track } = flight;
  const { severalShare, orbitShare } = track.coverage;
  const quality = (confidence: string, score: Range, receiverCount: number | null): Quality => {
    const unit = seededUnit(key, CHANCE.score, Math.floor(elapsedMs / SCORE_SPELL_MS));
    return { confidence, confidenceScore: rounded(within(score, unit), 0.01), receiverCount };
  };
  if (elapsedMs > gapStartMs(flight, elapsedMs) - FADING_MS) return quality('stale', [0.08, 0.3], 1);
  if (seededUnit(key, CHANCE.orbit) < orbitShare) return quality('space_based', [0.4, 0.7], null);
  const spell = Math.floor(elapsedMs / SPELL_MS);
  const unit = seededUnit(key, CHANCE.label, spell);
  const receivers = 2 + Math.floor(6 * seededUnit(key, CHANCE.receivers, spell) ** 2);
  if (unit < INCONSISTENT_SHARE) return quality('inconsistent', [0.1, 0.35], receivers);
  if (unit > 1 - severalShare) {
    return quality('multi_station', [0.6 + 0.03 * receivers, 0.75 + 0.03 * receivers], receivers);
  }
  return quality('single', [0.35, 0.6], 1);
}

function rounded(value: number, step: number): number {
  return Math.round(Math.round(value / step) * step * 100) / 100;
}

import { seededUnit } from '#lib/random/seeded-random.ts';
import type { Observation } from '../../observation.ts';
import type { Flight } from '../flights/flight.ts';
import { untilGapMs } from './received-ticks.ts';

export type Quality = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;

/** How often the number of receiving stations may change. */
const SPELL_MS = 90_000;
const INCONSISTENT_SHARE = 0.03;
/** Reception is poor for this long before a gap. */
const FADING_MS = 40_000;
const [SPELL, SCORE, COUNT] = [201, 202, 203];

/** A confidence label, with a matching score and receiver count. */
export function qualityAt(flight: Flight, elapsedMs: number): Quality {
  const { key, traits } = flight;
  if (!traits.reportsConfidence) return { confidence: null, confidenceScore: null, receiverCount: null };
  const spell = Math.floor(elapsedMs / SPELL_MS);
  const scoreUnit = seededUnit(key, SCORE, Math.floor(elapsedMs / 5000));
  const count = seededUnit(key, COUNT, spell);
  const quality = (confidence: string, lowest: number, highest: number, receiverCount: number | null): Quality => ({
    confidence,
    confidenceScore: traits.reportsScore ? Math.round((lowest + (highest - lowest) * scoreUnit) * 100) / 100 : null,
    receiverCount,
  });

  const untilMs = untilGapMs(flight, elapsedMs);
  if (untilMs >= 0 && untilMs < FADING_MS) return quality('stale', 0.08, 0.3, 1);
  if (traits.isSpaceBased) return quality('space_based', 0.4, 0.7, null);
  const luck = seededUnit(key, SPELL, spell);
  if (luck < INCONSISTENT_SHARE) return quality('inconsistent', 0.1, 0.35, 2 + Math.floor(3 * count));
  if (luck > 1 - traits.severalShare) {
    const receivers = 2 + Math.floor(7 * count * count);
    return quality('multi_station', 0.62 + 0.03 * receivers, 0.74 + 0.03 * receivers, receivers);
  }
  return quality('single', 0.35, 0.6, 1);
}

import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { epochMs } from '#lib/time/instant.ts';
import { type Observation, ttlMs } from '../../sources/observation.ts';
import { asStale, STALE_AFTER_MS } from './confidence.ts';

/** `undefined` outside the box, expired or in the future. */
export function liveObservation(observation: Observation, bbox: Bbox, nowMs: number): Observation | undefined {
  if (!bboxContains(bbox, observation.lon, observation.lat)) return undefined;
  const ageMs = nowMs - epochMs(observation.observedAt);
  if (ageMs < 0 || ageMs >= ttlMs(observation.layer)) return undefined;
  return ageMs > STALE_AFTER_MS ? asStale(observation) : observation;
}

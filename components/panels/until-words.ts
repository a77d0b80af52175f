import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { waitWords } from './wait-words.ts';

/**
 * A moment that is waited for: `12:05:00Z (in 23 s)`; without the wait where now is not known.
 * @param nowMs now on the upstream's clock
 */
export function untilWords(atMs: number, nowMs: number | undefined, zone: ClockZone): string {
  const at = clockWords(atMs, zone);
  return nowMs === undefined ? at : `${at} (in ${waitWords(atMs - nowMs)})`;
}

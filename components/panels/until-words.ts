import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { waitWords } from './wait-words.ts';

/** A moment that is waited for: `12:05:00Z (in 23 s)`; without the wait where now is not known. */
export function untilWords(until: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const at = clockWords(until, zone);
  return now === undefined ? at : `${at} (in ${waitWords(msBetween(now, until))})`;
}

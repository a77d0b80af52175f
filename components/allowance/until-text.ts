import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { waitText } from './wait-text.ts';

/** A moment that is waited for: `12:05:00Z (in 23 s)`; without the wait where now is not known. */
export function untilText(until: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const at = clockText(until, zone);
  return now === undefined ? at : `${at} (in ${waitText(msBetween(now, until))})`;
}

import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** Numbers older than this carry their age: three polls were missed by then. */
export const RECENT_MS = 15_000;

/**
 * How old the numbers are, where they are not of just now; `undefined` where that goes without saying.
 * @param asOf when they were told
 */
export function reportedAtText(
  asOf: UpstreamInstant,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string | undefined {
  if (now === undefined) return `Told at ${clockText(asOf, zone)}`;
  const ageMs = msBetween(asOf, now);
  return ageMs <= RECENT_MS ? undefined : `Told at ${clockText(asOf, zone)}, ${durationText(ageMs)} ago`;
}

import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** Numbers older than this carry their age: three polls were missed by then. */
export const RECENT_MS = 15_000;

/**
 * How old the numbers are, where they are not of just now; `undefined` where that goes without saying.
 * @param asOf when they were told
 */
export function toldWords(
  asOf: UpstreamInstant,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string | undefined {
  if (now === undefined) return `Told at ${clockWords(asOf, zone)}`;
  const ageMs = msBetween(asOf, now);
  return ageMs <= RECENT_MS ? undefined : `Told at ${clockWords(asOf, zone)}, ${durationWords(ageMs)} ago`;
}

import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';

/** Numbers older than this carry their age: three polls were missed by then. */
export const RECENT_MS = 15_000;

/**
 * How old the numbers are, where they are not of just now; `undefined` where that goes without saying.
 * @param asOfMs when they were told, on the upstream's clock, like `nowMs`
 */
export function toldWords(asOfMs: number, nowMs: number | undefined, zone: ClockZone): string | undefined {
  if (nowMs === undefined) return `Told at ${clockWords(asOfMs, zone)}`;
  const ageMs = nowMs - asOfMs;
  return ageMs <= RECENT_MS ? undefined : `Told at ${clockWords(asOfMs, zone)}, ${durationWords(ageMs)} ago`;
}

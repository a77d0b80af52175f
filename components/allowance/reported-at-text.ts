import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';

/** Numbers older than this carry their age: three polls were missed by then. */
export const RECENT_MS = 15_000;

/**
 * How old the numbers are, where they are not of just now; `undefined` where that goes without saying.
 * @param asOfMs when they were told, on the upstream's clock, like `nowMs`
 */
export function reportedAtText(asOfMs: number, nowMs: number | undefined, zone: ClockZone): string | undefined {
  if (nowMs === undefined) return `Told at ${clockText(asOfMs, zone)}`;
  const ageMs = nowMs - asOfMs;
  return ageMs <= RECENT_MS ? undefined : `Told at ${clockText(asOfMs, zone)}, ${durationText(ageMs)} ago`;
}

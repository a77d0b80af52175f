import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { waitText } from './wait-text.ts';

/**
 * A moment that is waited for: `12:05:00Z (in 23 s)`; without the wait where now is not known.
 * @param nowMs now on the upstream's clock
 */
export function untilText(atMs: number, nowMs: number | undefined, zone: ClockZone): string {
  const at = clockText(atMs, zone);
  return nowMs === undefined ? at : `${at} (in ${waitText(atMs - nowMs)})`;
}

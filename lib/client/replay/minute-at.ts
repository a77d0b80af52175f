import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Which minute of a window a moment of it lies in, from 0; its very end belongs to the last one. */
export function minuteAt(window: Window, at: UpstreamInstant): number {
  const last = Math.ceil(windowLengthMs(window) / MINUTE_MS) - 1;
  return Math.min(last, Math.floor(msBetween(window.start, at) / MINUTE_MS));
}

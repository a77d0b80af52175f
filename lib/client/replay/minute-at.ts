import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { MinuteState } from './replay-summary.ts';

/** −1 is the last minute of the lead-in; the window's end belongs to its last minute. */
export function minuteAt(window: Window, at: UpstreamInstant): number {
  const last = Math.ceil(windowLengthMs(window) / MINUTE_MS) - 1;
  return Math.min(last, Math.floor(msBetween(window.start, at) / MINUTE_MS));
}

/** Worst first. */
const WORST: readonly MinuteState[] = [
  'failed',
  'not-requested',
  'loading',
  'receivers_lost',
  'not_equipped',
  'truncated',
  'receivers_partly',
  'complete',
];

/** `undefined` without minutes. */
export function worstMinute(minutes: readonly MinuteState[]): MinuteState | undefined {
  return WORST.find((state) => minutes.includes(state));
}

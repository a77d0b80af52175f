import 'server-only';
import { LEAD_IN_MAX_MS } from '#lib/api/replay-window.ts';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** A longer window is cut into hours. */
const WHOLE_MAX_MS = HISTORY_MAX_WINDOW_MS + LEAD_IN_MAX_MS;

/**
 * Cut at full hours of UTC, which overlapping windows share. A rest no longer than a lead-in stays with its neighbour.
 */
export function hoursOf(window: Window): readonly Window[] {
  if (windowLengthMs(window) <= WHOLE_MAX_MS) return [window];
  const { start, end } = window;
  const cuts = [start];
  for (let atMs = Math.floor(epochMs(start) / HOUR_MS + 1) * HOUR_MS; atMs < epochMs(end); atMs += HOUR_MS) {
    const isFirstRest = cuts.length === 1 && atMs - epochMs(start) <= LEAD_IN_MAX_MS;
    const isLastRest = epochMs(end) - atMs <= LEAD_IN_MAX_MS;
    if (!isFirstRest && !isLastRest) cuts.push(upstreamInstant(atMs));
  }
  return cuts.map((from, index) => ({ start: from, end: cuts[index + 1] ?? end }));
}

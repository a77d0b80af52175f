import { MINUTE_MS } from '#lib/time/time-units.ts';

/** The server keeps positions this long, and a page draws this many. */
export const LIVE_TRAIL_LIMITS = {
  spanMs: 15 * MINUTE_MS,
  maxPositions: 200_000,
  /** Of the selected tracks, each received every second. */
  maxPathPositions: 20_000,
} as const;

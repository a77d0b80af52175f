import { MINUTE_MS } from '#lib/time/time-units.ts';

/** Limits of live trails: the server keeps positions this long, and a page draws this many. */
export const LIVE_TRAIL_LIMITS = {
  spanMs: 15 * MINUTE_MS,
  /** In all trails together; if there are more, the oldest are dropped. */
  maxPositions: 200_000,
  /** In the paths of the selected tracks, each received every second. */
  maxPathPositions: 20_000,
} as const;

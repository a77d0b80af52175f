import { MINUTE_MS } from '#lib/time/time-units.ts';

export const LIVE_TRAIL_LIMITS = {
  spanMs: 15 * MINUTE_MS,
  maxPositions: 200_000,
  /** Of the selected tracks, each received every second. */
  maxPathPositions: 20_000,
} as const;

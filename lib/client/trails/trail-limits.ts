import { MINUTE_MS } from '#lib/time/time-units.ts';

/** How much of the way of tracks the map draws: Lookout's own choice. */
export const LIVE_TRAIL_LIMITS = {
  spanMs: 15 * MINUTE_MS,
  maxPositions: 200_000,
  /** The positions of selected tracks, which may be received every second. */
  maxPathPositions: 20_000,
} as const;

export const RECENT_TRAIL_LIMITS = {
  spanMs: 5 * MINUTE_MS,
  /** All trails together have no more: beyond it, all are shortened. */
  maxPositions: 200_000,
} as const;

/** How much of the past the trails of all tracks hold: Lookout's own statement. */
export const RECENT_TRAIL_LIMITS = {
  spanMs: 300_000,
  /** Positions of all of them together; where there are more, all trails are shorter. */
  maxPositions: 200_000,
} as const;

/** Limits of the trails of all tracks; Lookout's own choice. */
export const RECENT_TRAIL_LIMITS = {
  spanMs: 300_000,
  /** In all trails together; if there are more, all trails are shortened. */
  maxPositions: 200_000,
} as const;

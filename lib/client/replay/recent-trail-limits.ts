/** Lookout's own choice. */
export const RECENT_TRAIL_LIMITS = {
  spanMs: 300_000,
  /** All trails together; beyond it, all are shortened. */
  maxPositions: 200_000,
} as const;

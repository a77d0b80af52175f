import 'server-only';

/** How often areas are refreshed: never sooner than the shortest, and no later than the longest while the rate allows it. */
export interface PaceLimits {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** Values of our own: the contract states none. */
export const PACE_LIMITS: PaceLimits = { shortestMs: 5000, longestMs: 120_000 };

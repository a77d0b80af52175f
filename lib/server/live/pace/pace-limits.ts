import 'server-only';

/** How often areas are refreshed: never sooner than `minMs`, and no later than `maxMs` while the rate allows it. */
export interface PaceLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Our own values: the contract states none. Receivers report a track about once a second, so a shorter interval gains little. */
export const PACE_LIMITS: PaceLimits = { minMs: 1000, maxMs: 120_000 };

/** Interval while something is unknown: the account's allowance, or whether another server still sends a request. */
export const CAUTIOUS_MS = 5000;

/**
 * Intervals without an allowance. `changedMs`: of an area that has changed since it was read; twice as often as receivers report,
 * so that two of them at different times are both shown in time. `unchangedMs`: of any other; it shows that the service still answers.
 */
export const UNPACED = { changedMs: 500, unchangedMs: 5000 } as const;

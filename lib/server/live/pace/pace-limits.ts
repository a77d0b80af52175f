import 'server-only';

/** Shortest refresh interval. Our own value, the contract states none: receivers report a track about once a second. */
export const MIN_INTERVAL_MS = 1000;

/** Shortest refresh interval of an area that only zones need: receivers record a track every 5 to 10 s. */
export const ZONE_INTERVAL_MS = 5000;

/** Interval while something is unknown: the account's allowance, or whether another server still sends a request. */
export const CAUTIOUS_MS = 5000;

/**
 * Intervals without an allowance. `changedMs`: of an area that has changed since it was read; twice as often as receivers report,
 * so that two of them at different times are both shown in time. `unchangedMs`: of any other; it shows that the service still answers.
 */
export const UNPACED = { changedMs: 500, unchangedMs: 5000 } as const;

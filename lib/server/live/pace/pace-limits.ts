import 'server-only';

/** Our own value, the contract states none: receivers report a track about once a second. */
export const MIN_INTERVAL_MS = 1000;

/** Of an area that only zones need: receivers record a track every 5 to 10 s. */
export const ZONE_INTERVAL_MS = 5000;

/** While the allowance is unknown, or another server may still send a request. */
export const CAUTIOUS_MS = 5000;

/**
 * Without an allowance. `changedMs` is twice as often as receivers report, so two of them are both shown in time.
 * `unchangedMs` shows that the service still answers.
 */
export const UNPACED = { changedMs: 500, unchangedMs: 5000 } as const;

import { DAY_MS, HOUR_MS } from '../time/time-units.ts';

/** Each constant of the Received-Positions Read API, version 1, with the section that states it. */

/** Section "Response envelope". */
export const CONTRACT_VERSION = '1';

/** Sections "Query parameters" and "Limits". */
export const LIMIT_MIN = 1;
export const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 250;

/** Sections "Query parameters" and "Limits". */
export const LIVE_MAX_SPAN_DEG = 30;

/** Sections "Query parameters" and "Limits". */
export const HISTORY_MAX_SPAN_DEG = 5;

/** Rules for all operations, Limits. */
export const HISTORY_MAX_WINDOW_MS = HOUR_MS;

/** Sections "Authentication" and "Limits". */
export const LOOKBACK_MAX_DAYS = 30;
export const LOOKBACK_MIN_MS = DAY_MS;

/** Rules for all operations, Limits. */
export const HISTORY_MAX_AGE_MS = LOOKBACK_MAX_DAYS * DAY_MS;

/** Rules for all operations, Limits: exclusive. */
export const QUERY_LENGTH_LIMIT = 2048;

/** Sections "Authentication" and "Limits": counts from its creation. */
export const KEY_MAX_LIFETIME_MS = 365 * DAY_MS;

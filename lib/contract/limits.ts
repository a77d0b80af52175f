import { DAY_MS, HOUR_MS } from '../time/time-units.ts';

/**
 * Every number and literal of the Received-Positions Read API, version 1, each with the section that states it.
 * No other file repeats one: messages that show a limit are built from these constants.
 */

/** Response envelope: `version`, constant `1`. */
export const CONTRACT_VERSION = '1';

/** Query parameters, Limits: `limit` is 1 to 1000, default 250. */
export const LIMIT_MIN = 1;
export const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 250;

/** Query parameters, Limits: at most 30 degrees per side in live mode. */
export const LIVE_MAX_SPAN_DEG = 30;

/** Query parameters, Limits: at most 5 degrees per side in history mode. */
export const HISTORY_MAX_SPAN_DEG = 5;

/** Rules for all operations, Limits: a history window spans at most one hour. */
export const HISTORY_MAX_WINDOW_MS = HOUR_MS;

/** Authentication, Limits: the approved lookback is 1 to 30 days. */
export const LOOKBACK_MAX_DAYS = 30;
export const LOOKBACK_MIN_MS = DAY_MS;

/** Rules for all operations, Limits: history reaches back at most 30 days, which is also the longest lookback. */
export const HISTORY_MAX_AGE_MS = LOOKBACK_MAX_DAYS * DAY_MS;

/** Rules for all operations, Limits: the encoded query stays under 2048 characters. */
export const QUERY_LENGTH_LIMIT = 2048;

/** Authentication, Limits: a key lives at most 365 days from its creation. */
export const KEY_MAX_LIFETIME_MS = 365 * DAY_MS;

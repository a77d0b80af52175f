import { DAY_MS, HOUR_MS } from '../time/time-units.ts';

/** A replay is at most this long: no history request may span more. */
export const REPLAY_MOST_MS = HOUR_MS;

/** No replay begins longer ago than this, whatever the account's own lookback is. */
export const REPLAY_REACH_MS = 30 * DAY_MS;

import { DAY_MS, MINUTE_MS } from '../time/time-units.ts';

/** The longest window of a replay. Windows beyond the contract's limit are loaded hour by hour. */
export const REPLAY_MAX_WINDOW_MS = DAY_MS;

/** The longest time before a window that is loaded for its first pictures. */
export const LEAD_IN_MAX_MS = 10 * MINUTE_MS;

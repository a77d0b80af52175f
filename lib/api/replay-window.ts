import { DAY_MS } from '../time/time-units.ts';

/** Windows beyond the contract's limit are loaded hour by hour. */
export const REPLAY_MAX_WINDOW_MS = DAY_MS;

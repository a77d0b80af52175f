import { DAY_MS } from '../time/time-units.ts';

/** Limit of a replay's window. Longer ones than the contract allows are loaded hour by hour. */
export const REPLAY_MAX_WINDOW_MS = DAY_MS;

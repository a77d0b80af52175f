import { MINUTE_MS } from '../time/time-units.ts';

/** Before a window, for its first pictures. */
export const LEAD_IN_MAX_MS = 10 * MINUTE_MS;

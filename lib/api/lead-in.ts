import { MINUTE_MS } from '../time/time-units.ts';

/** Limit of the lead-in: the minutes before a window that its first pictures need. */
export const LEAD_IN_MAX_MS = 10 * MINUTE_MS;

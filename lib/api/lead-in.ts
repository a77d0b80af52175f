import { MINUTE_MS } from '../time/time-units.ts';

/**
 * What was received shortly before a window belongs to its first pictures, and is loaded as the window's lead-in. Limit of its
 * length.
 */
export const LEAD_IN_MAX_MS = 10 * MINUTE_MS;

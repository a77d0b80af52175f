import { MINUTE_MS } from '../time/time-units.ts';

/**
 * Positions received shortly before a window belong to its first pictures, and are loaded as its lead-in. Limit of its
 * length.
 */
export const LEAD_IN_MAX_MS = 10 * MINUTE_MS;

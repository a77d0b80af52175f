import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/** Between two reads. Receivers record a track every 5 to 10 s. */
export const WATCHED_MAX_MS = 15 * SECOND_MS;
/** Most records leave the live picture then. */
export const PARTLY_MAX_MS = MINUTE_MS;

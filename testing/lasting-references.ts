import { DAY_MS } from '#lib/time/time-units.ts';

/** For a service by the machine's clock: at six hours, each track would change its reference in one minute of 360. */
export const LASTING_REFERENCES = { referencePeriodMs: 36_525 * DAY_MS };

import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** The account's remaining allowances as an answer states them; `undefined` where a header is missing or not a number. */
export interface AllowanceHeaders {
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
}

/** Pause after a 429 of the network edge, which does not know the account's minute. */
export const EDGE_PAUSE_MS = MINUTE_MS;
/** Added to the end of a minute or day, so that the upstream's counter has certainly been reset. */
const EDGE_MARGIN_MS = 1000;
/** Jitter after midnight, when the consumers of every account resume at the same time. */
const MIDNIGHT_SPREAD_MS = 10_000;

/** Parses an allowance header: a whole number of at most 12 digits, otherwise `undefined`. */
export function allowanceNumber(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,12}$/.test(header.trim()) ? Number(header) : undefined;
}

/**
 * When a used-up day ends, a little after midnight UTC.
 * @param random uniform in [0, 1)
 */
export function dayUsedUpUntil(now: UpstreamInstant, random: () => number): UpstreamInstant {
  return addMs(nextUtcMidnight(now), EDGE_MARGIN_MS + random() * MIDNIGHT_SPREAD_MS);
}

/** From when on requests may be sent after a 429 without Retry-After. Whether the day has any left is what the ledger knows. */
export function refusedUntil(now: UpstreamInstant): UpstreamInstant {
  return addMs(nextMinute(now), EDGE_MARGIN_MS);
}

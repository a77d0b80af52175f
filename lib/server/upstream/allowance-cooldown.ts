import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** What an answer says of the account's allowances; `undefined` where a header is missing or not a number. */
export interface AllowanceHeaders {
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
}

/** After an edge's 429, which knows nothing of the account's minute. */
const EDGE_PAUSE_MS = MINUTE_MS;
/** Past the edge of the minute, so that the counter has surely been reset. */
const EDGE_MARGIN_MS = 1000;
/** Spread after midnight, when every consumer of every account comes back. */
const MIDNIGHT_SPREAD_MS = 10_000;

/** Reads an allowance header: a whole number, or nothing. */
export function allowanceNumber(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,12}$/.test(header.trim()) ? Number(header) : undefined;
}

/** Until when a used-up day lasts. @param random uniform in [0, 1) */
export function dayUsedUpUntil(now: UpstreamInstant, random: () => number): UpstreamInstant {
  return addMs(nextUtcMidnight(now), EDGE_MARGIN_MS + random() * MIDNIGHT_SPREAD_MS);
}

/** Until when to stay silent after a 429 without Retry-After. */
export function refusedUntil(
  allowance: AllowanceHeaders,
  fromEdge: boolean,
  now: UpstreamInstant,
  random: () => number,
): UpstreamInstant {
  if (allowance.dayRemaining === 0) return dayUsedUpUntil(now, random);
  const minuteEdge = addMs(nextMinute(now), EDGE_MARGIN_MS);
  return fromEdge && msBetween(now, minuteEdge) < EDGE_PAUSE_MS ? addMs(now, EDGE_PAUSE_MS) : minuteEdge;
}

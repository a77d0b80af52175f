import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { EDGE_MARGIN_MS } from './known-allowance.ts';

export interface AllowanceHeaders {
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
}

/** The pause after a 429 of the network edge, which does not know the account's minute. */
export const EDGE_PAUSE_MS = MINUTE_MS;
/** After midnight the consumers of every account resume at the same time. */
const MIDNIGHT_SPREAD_MS = 10_000;

export function allowanceNumber(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,12}$/.test(header.trim()) ? Number(header) : undefined;
}

/** @param random uniform in [0, 1) */
export function dayUsedUpUntil(now: UpstreamInstant, random: () => number): UpstreamInstant {
  return addMs(nextUtcMidnight(now), EDGE_MARGIN_MS + random() * MIDNIGHT_SPREAD_MS);
}

/** The end of the pause after a 429 without Retry-After. The ledger knows whether the day has any left. */
export function refusedUntil(now: UpstreamInstant): UpstreamInstant {
  return addMs(nextMinute(now), EDGE_MARGIN_MS);
}

import 'server-only';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';

const MAX_WAIT_MS = DAY_MS;
/** For 0, negative numbers, and anything that is neither seconds nor a date. */
const UNCLEAR_MS = MINUTE_MS;

/** Milliseconds, at most 24 h; seconds (Errors: "a delay in seconds") or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | undefined, now: UpstreamInstant): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) {
    const seconds = Number(text);
    return seconds === 0 ? UNCLEAR_MS : Math.min(seconds * 1000, MAX_WAIT_MS);
  }
  // Date.parse reads "-1" and "2" as years; an HTTP date starts with the name of a day.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(inGmt(text)) : Number.NaN;
  if (Number.isNaN(date) || date <= epochMs(now)) return UNCLEAR_MS;
  return Math.min(date - epochMs(now), MAX_WAIT_MS);
}

/** Date.parse would read the asctime form, which means GMT, as local time. */
function inGmt(httpDate: string): string {
  return httpDate.endsWith(' GMT') ? httpDate : `${httpDate} GMT`;
}

import { DAY_MS, SECOND_MS } from './time-units.ts';

/** No server may ask for more. */
const LONGEST_MS = DAY_MS;

export interface RetryAfterHeaders {
  readonly retryAfter: string | undefined;
  /** `Date` of the same answer: clocks of two machines differ. */
  readonly date: string | undefined;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3).
 * @param nowMs the reference of a date without `headers.date`, since 1970
 * @returns ms, at most a day; 0 for a time that has passed; `undefined` where no wait is stated
 */
export function retryAfterMs({ retryAfter, date }: RetryAfterHeaders, nowMs: number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  // Some servers send fractions, which the RFC has not.
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)) * SECOND_MS, LONGEST_MS);
  const untilMs = httpDateMs(text);
  if (untilMs === undefined) return undefined;
  const fromMs = httpDateMs(date?.trim() ?? '') ?? nowMs;
  return Math.min(Math.max(0, untilMs - fromMs), LONGEST_MS);
}

/** The three forms of RFC 9110, 5.6.7, all of them in GMT. */
function httpDateMs(text: string): number | undefined {
  // Date.parse reads "-1" and "2" as years; an HTTP date starts with the name of a day.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  // `Date.parse` would read the asctime form, which has no zone, as local time.
  const ms = Date.parse(/ (GMT|UTC|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}

import { MINUTE_MS } from './time-units.ts';

declare const instantBrand: unique symbol;

/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instantBrand]: true };

export function instantFromMs(epochMs: number): Instant {
  return epochMs as Instant;
}

export function addMs(instant: Instant, ms: number): Instant {
  return (instant + ms) as Instant;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 timestamp with its timezone, to the millisecond (finer digits are cut off). `undefined` where the text
 * is not one, or names a day or hour that does not exist. A leap second counts as the second after it.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const field = (index: number) => Number(match[index] ?? '0');
  const [year, month, day, hour, minute, second] = [field(1), field(2), field(3), field(4), field(5), field(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60 || field(10) > 23 || field(11) > 59) return undefined;
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offsetMinutes = (match[9] === '-' ? -1 : 1) * (field(10) * 60 + field(11));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, millisecond);
  return instantFromMs(local.getTime() - offsetMinutes * MINUTE_MS);
}

/** RFC 3339 in UTC with milliseconds: `2026-11-21T11:04:30.000Z`. */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

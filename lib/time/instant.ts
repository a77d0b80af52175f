import { MINUTE_MS } from './time-units.ts';

type ClockName = 'upstream' | 'local';

declare const clockOf: unique symbol;

/**
 * At run time, ms since 1970. TypeScript compares any two number types, so this is an object: `<` and `===` accept two
 * instants of one clock.
 */
interface Instant<Clock extends ClockName = ClockName> {
  readonly [clockOf]: Clock;
}

/** The clock of timestamps, ages, and the allowance's minutes and days. */
export type UpstreamInstant = Instant<'upstream'>;

/** The time of a request, a wait or a sign-in, never of a position. */
export type LocalInstant = Instant<'local'>;

export function upstreamInstant(epochMs: number): UpstreamInstant {
  return epochMs as unknown as UpstreamInstant;
}

export function localInstant(epochMs: number): LocalInstant {
  return epochMs as unknown as LocalInstant;
}

export function epochMs(instant: Instant): number {
  return instant as unknown as number;
}

export function addMs<At extends Instant>(instant: At, ms: number): At {
  return (epochMs(instant) + ms) as unknown as At;
}

export function msBetween<At extends Instant>(from: At, to: NoInfer<At>): number {
  return epochMs(to) - epochMs(from);
}

/** Answers that overtake each other make a clock's estimates differ by less. */
const OVERTAKEN_MS = 2000;

export function isSetBack<At extends Instant>(before: At, now: NoInfer<At>): boolean {
  return epochMs(before) - epochMs(now) > OVERTAKEN_MS;
}

export function compareInstants<At extends Instant>(one: At, other: NoInfer<At>): number {
  return epochMs(one) - epochMs(other);
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339 with a timezone, truncated to the ms. A leap second is the following second. */
export function parseInstant(text: string): UpstreamInstant | undefined {
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
  return upstreamInstant(local.getTime() - offsetMinutes * MINUTE_MS);
}

/** Reads validated text. @throws RangeError for other text */
export function instantOf(text: string): UpstreamInstant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new RangeError(`not an RFC 3339 timestamp with a timezone: ${text}`);
  return instant;
}

/** `2026-11-21T11:04:30.000Z` */
export function formatInstant(instant: UpstreamInstant): string {
  return new Date(epochMs(instant)).toISOString();
}

/** As `formatInstant`, of ms since 1970. */
export function isoTime(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

export function formatLocalInstant(instant: LocalInstant): string {
  return new Date(epochMs(instant)).toISOString();
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

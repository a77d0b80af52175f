import { MINUTE_MS } from './time-units.ts';

/** Which clock an instant was read from: the upstream's, or that of the machine the code runs on. */
type ClockName = 'upstream' | 'local';

declare const clockOf: unique symbol;

/**
 * An instant on one clock. At run time it is a number: milliseconds since 1970-01-01T00:00:00Z. It is typed as an object because
 * TypeScript allows comparing any two number types. `<` and `===` accept two instants of the same clock; arithmetic operators
 * accept none.
 */
interface Instant<Clock extends ClockName = ClockName> {
  readonly [clockOf]: Clock;
}

/** The clock of the contract's timestamps, of ages, and of the allowance's minutes and days. */
export type UpstreamInstant = Instant<'upstream'>;

/** An instant on this machine's clock, such as the time of a request, a wait or a sign-in. Never the time of a position. */
export type LocalInstant = Instant<'local'>;

/** @param epochMs milliseconds since 1970-01-01T00:00:00Z on the upstream's clock */
export function upstreamInstant(epochMs: number): UpstreamInstant {
  return epochMs as unknown as UpstreamInstant;
}

/** @param epochMs milliseconds since 1970-01-01T00:00:00Z on this machine's clock */
export function localInstant(epochMs: number): LocalInstant {
  return epochMs as unknown as LocalInstant;
}

/** Milliseconds since 1970-01-01T00:00:00Z, for columns, files and calendar arithmetic. */
export function epochMs(instant: Instant): number {
  return instant as unknown as number;
}

export function addMs<At extends Instant>(instant: At, ms: number): At {
  return (epochMs(instant) + ms) as unknown as At;
}

/** `to - from` in milliseconds; negative if `to` is earlier. */
export function msBetween<At extends Instant>(from: At, to: NoInfer<At>): number {
  return epochMs(to) - epochMs(from);
}

/** Answers that overtake each other make estimates of a clock differ by less. */
const OVERTAKEN_MS = 2000;

/** Whether the clock was set back between two readings of it, the later one last. */
export function isSetBack<At extends Instant>(before: At, now: NoInfer<At>): boolean {
  return epochMs(before) - epochMs(now) > OVERTAKEN_MS;
}

/** Compares for sorting, earlier first. */
export function compareInstants<At extends Instant>(one: At, other: NoInfer<At>): number {
  return epochMs(one) - epochMs(other);
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses an RFC 3339 timestamp with a timezone, truncated to the millisecond. `undefined` if the text is not one, or if its
 * day or time does not exist. A leap second is read as the following second.
 */
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

/**
 * Parses a timestamp that a schema has already validated.
 * @throws RangeError if it is not a valid timestamp
 */
export function instantOf(text: string): UpstreamInstant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new RangeError(`not an RFC 3339 timestamp with a timezone: ${text}`);
  return instant;
}

/** RFC 3339 in UTC with milliseconds: `2026-11-21T11:04:30.000Z`. */
export function formatInstant(instant: UpstreamInstant): string {
  return new Date(epochMs(instant)).toISOString();
}

/** The same form, for what happens on this machine: sessions, the audit, reading the receivers' status. */
export function formatLocalInstant(instant: LocalInstant): string {
  return new Date(epochMs(instant)).toISOString();
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

import { MINUTE_MS } from './time-units.ts';

/** Which clock showed a moment: the upstream's, or that of the machine that the code runs on. */
type ClockName = 'upstream' | 'local';

declare const clockOf: unique symbol;

/**
 * A moment as one clock shows it. At run time it is a number, milliseconds since 1970-01-01T00:00:00Z; to the compiler it is an
 * object, since it lets any two numbers be compared. `<` and `===` take two instants of one clock, and arithmetic takes none.
 */
interface Instant<Clock extends ClockName = ClockName> {
  readonly [clockOf]: Clock;
}

/** What the contract's timestamps say, what ages are measured against, and where minutes and days of the allowance end. */
export type UpstreamInstant = Instant<'upstream'>;

/** When this machine sent something, and until when it waits. It is never written into an answer. */
export type LocalInstant = Instant<'local'>;

/** @param epochMs milliseconds since 1970-01-01T00:00:00Z, as the upstream counts them */
export function upstreamInstant(epochMs: number): UpstreamInstant {
  return epochMs as unknown as UpstreamInstant;
}

/** @param epochMs milliseconds since 1970-01-01T00:00:00Z, as this machine counts them */
export function localInstant(epochMs: number): LocalInstant {
  return epochMs as unknown as LocalInstant;
}

/** Milliseconds since 1970-01-01T00:00:00Z: for columns, files and the calendar. */
export function epochMs(instant: Instant): number {
  return instant as unknown as number;
}

export function addMs<At extends Instant>(instant: At, ms: number): At {
  return (epochMs(instant) + ms) as unknown as At;
}

/** How long after `from` is `to`: less than 0 where it comes first. */
export function msBetween<At extends Instant>(from: At, to: NoInfer<At>): number {
  return epochMs(to) - epochMs(from);
}

/** For sorting: the earlier one first. */
export function compareInstants<At extends Instant>(one: At, other: NoInfer<At>): number {
  return epochMs(one) - epochMs(other);
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 timestamp with its timezone, to the millisecond (finer digits are cut off). `undefined` where the text
 * is not one, or names a day or hour that does not exist. A leap second counts as the second after it.
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

/** Reads a timestamp that a schema has let through. @throws RangeError where it is none */
export function instantOf(text: string): UpstreamInstant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new RangeError(`no RFC 3339 timestamp with its timezone: ${text}`);
  return instant;
}

/** RFC 3339 in UTC with milliseconds: `2026-11-21T11:04:30.000Z`. */
export function formatInstant(instant: UpstreamInstant): string {
  return new Date(epochMs(instant)).toISOString();
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

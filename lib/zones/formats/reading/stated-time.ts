export interface StatedTime {
  /** Since 1970 or midnight, in UTC if `isZoned`. */
  readonly minutes: number;
  readonly isZoned: boolean;
}

export interface StatedTimeOfDay extends StatedTime {
  /** Minutes ahead of UTC. */
  readonly offset: number;
}

const ZONE = String.raw`(Z|[+-]\d{2}(?::?\d{2})?)?`;
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?`;
const dateTime = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})[T ]${TIME}\s?${ZONE}$`, 'i');
const timeOfDay = new RegExp(`^${TIME}\\s?${ZONE}$`, 'i');

/** ISO 8601. Rounds outward to minutes, so that windows never shrink. */
export function readDateTime(text: unknown, edge: 'start' | 'end'): StatedTime | undefined {
  const [, year, month, day, hour, minute, second, zone] =
    (typeof text === 'string' && text.length <= 40 && dateTime.exec(text.trim())) || [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const minutes = minutesOfDay(hour, minute, second, edge);
  const midnight = new Date(0);
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // Otherwise a 31 June would become 1 July.
  if (minutes === undefined || midnight.getUTCMonth() !== Number(month) - 1) return undefined;
  const offset = offsetOf(zone);
  return { minutes: midnight.getTime() / 60_000 + minutes - (offset ?? 0), isZoned: offset !== undefined };
}

/** Such as `06:00Z`; 24:00 is allowed. */
export function readTimeOfDay(text: unknown, edge: 'start' | 'end'): StatedTimeOfDay | undefined {
  const [, hour, minute, second, zone] =
    (typeof text === 'string' && text.length <= 40 && timeOfDay.exec(text.trim())) || [];
  const minutes = minutesOfDay(hour, minute, second, edge);
  if (minutes === undefined) return undefined;
  const offset = offsetOf(zone);
  return { minutes: minutes - (offset ?? 0), isZoned: offset !== undefined, offset: offset ?? 0 };
}

function minutesOfDay(
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  edge: 'start' | 'end',
): number | undefined {
  if (hour === undefined || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined;
  const minutes = Number(hour) * 60 + Number(minute);
  const isLater = edge === 'end' && Number(second ?? 0) > 0;
  return minutes > 1440 || (minutes === 1440 && isLater) ? undefined : minutes + (isLater ? 1 : 0);
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === '') return undefined;
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', ''));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** As `hoursSchema` takes it; `undefined` beyond the years 1 to 9999. */
export function localTimeText(minutes: number): string | undefined {
  const text = new Date(minutes * 60_000).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 16) : undefined;
}

/** Wraps to one day. */
export function timeOfDayText(minutes: number): string {
  const ofDay = ((minutes % 1440) + 1440) % 1440;
  return [Math.floor(ofDay / 60), ofDay % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

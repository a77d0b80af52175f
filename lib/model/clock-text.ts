import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

export const CLOCK_ZONES = ['utc', 'local'] as const;
export type ClockZone = (typeof CLOCK_ZONES)[number];

/** `11:04:30Z` in UTC, `12:04:30 +01:00` in local time. */
export function clockText(at: UpstreamInstant, zone: ClockZone): string {
  const shifted = shiftedToZone(at, zone);
  return `${shifted.toISOString().slice(11, 19)}${zoneText(at, zone)}`;
}

/** Leaves out seconds that are 0: `11:04Z`. */
export function shortClockText(at: UpstreamInstant, zone: ClockZone): string {
  return clockText(at, zone).replace(/:00(?=Z| )/, '');
}

/** `11:04–11:14Z`; where the clocks change in it, `02:30 +02:00–02:30 +01:00`. */
export function clockRangeText({ start, end }: Window, zone: ClockZone): string {
  return `${shortClockText(start, zone).replace(zoneText(end, zone), '')}–${shortClockText(end, zone)}`;
}

/** `2026-11-21` */
export function dateText(at: UpstreamInstant, zone: ClockZone): string {
  return shiftedToZone(at, zone).toISOString().slice(0, 10);
}

/** `2026-11-21 11:04:18Z` */
export function dateTimeText(at: UpstreamInstant, zone: ClockZone): string {
  return `${dateText(at, zone)} ${clockText(at, zone)}`;
}

/** `11:04:18Z`, with the date on another day than `now`, or where the present time is not known. */
export function recentTimeText(at: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const isToday = now !== undefined && dateText(at, zone) === dateText(now, zone);
  return isToday ? clockText(at, zone) : dateTimeText(at, zone);
}

/** To the minute: `11:04Z`, with the date on another day than `now`, or where the present time is not known. */
export function recentMinuteText(at: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  return recentTimeText(upstreamInstant(Math.floor(epochMs(at) / MINUTE_MS) * MINUTE_MS), now, zone).replace(
    /:00(?=Z| [+-])/,
    '',
  );
}

/** `Tuesday 14:00Z`; the date a week later, or where the present time is not known. */
export function weekdayText(at: UpstreamInstant, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const ageMs = now === undefined ? Number.NaN : epochMs(now) - epochMs(at);
  const day = ageMs >= 0 && ageMs < 6 * DAY_MS ? WEEKDAYS[shiftedToZone(at, zone).getUTCDay()] : dateText(at, zone);
  return `${day} ${shortClockText(at, zone)}`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

function shiftedToZone(at: UpstreamInstant, zone: ClockZone): Date {
  const offsetMinutes = zone === 'utc' ? 0 : -new Date(epochMs(at)).getTimezoneOffset();
  return new Date(epochMs(at) + offsetMinutes * MINUTE_MS);
}

function zoneText(at: UpstreamInstant, zone: ClockZone): string {
  if (zone === 'utc') return 'Z';
  const offsetMinutes = -new Date(epochMs(at)).getTimezoneOffset();
  const sign = offsetMinutes < 0 ? '-' : '+';
  const two = (value: number) => String(value).padStart(2, '0');
  return ` ${sign}${two(Math.floor(Math.abs(offsetMinutes) / 60))}:${two(Math.abs(offsetMinutes) % 60)}`;
}

/** The value of a field for a time, such as `2026-11-27T06:00`. */
export function timeFieldText(ms: number, zone: ClockZone, hasSeconds = false): string {
  return dateTimeText(upstreamInstant(ms), zone)
    .slice(0, hasSeconds ? 19 : 16)
    .replace(' ', 'T');
}

/** The epoch milliseconds of a field; `undefined` if it is empty. */
export function timeFieldMs(text: string, zone: ClockZone): number | undefined {
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The milliseconds of the day of a typed time, such as `14:05`, `1405` or `14:05:30Z`. */
export function timeOfDayMs(text: string): number | undefined {
  const match = /^(\d{1,2}):?(\d{2})(?::?(\d{2}))?\s*[zZ]?$/.exec(text.trim());
  if (!match) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')];
  return hour > 23 || minute > 59 || second > 59 ? undefined : ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Times up to so long ahead are meant: clocks differ. */
const AHEAD_MS = MINUTE_MS;

/**
 * Epoch milliseconds of a typed time, such as `14:05`, `14:05:30Z` or `2026-11-27 14:05`. Without a day it is the last
 * such time. `Z` is UTC, whatever the zone. `undefined` for any other text.
 */
export function typedTimeMs(text: string, zone: ClockZone, now: UpstreamInstant): number | undefined {
  const [, day, time = ''] = /^(?:(\d{4}-\d{2}-\d{2})(?:T|\s+))?(.+)$/.exec(text.trim()) ?? [];
  const ofDayMs = timeOfDayMs(time);
  if (ofDayMs === undefined) return undefined;
  const written = /z$/i.test(time) ? 'utc' : zone;
  const clock = new Date(ofDayMs).toISOString().slice(11, 19);
  const on = (each: string) => {
    const ms = timeFieldMs(`${each}T${clock}`, written);
    // 31 February is no day.
    return ms !== undefined && dateText(upstreamInstant(ms), written) === each ? ms : undefined;
  };
  if (day !== undefined) return on(day);
  // By the calendar: a day on which the clocks change has 23 or 25 hours.
  const todayMs = Date.parse(dateText(now, written));
  const last = [1, 0, -1].map((days) => on(new Date(todayMs + days * DAY_MS).toISOString().slice(0, 10)));
  return last.find((ms) => ms !== undefined && ms <= epochMs(now) + AHEAD_MS);
}

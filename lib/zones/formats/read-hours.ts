import { type Hours, WEEKDAYS } from '../zone.ts';
import type { ImportReport } from './import-report.ts';
import { shown, textOf } from './read-values.ts';

/** A window as a file states it; null where it states none. */
export interface StatedWindow {
  readonly start: unknown;
  readonly end: unknown;
  readonly schedule: readonly Readonly<Record<string, unknown>>[];
  readonly place: string;
}

type Weekly = Extract<NonNullable<Hours>, { weekly: unknown }>['weekly'];
type Reading = { readonly hours: Hours } | undefined;

const WEEKLY_MAX = 21;
/** No time zone is farther from UTC. */
const LARGEST_OFFSET_MIN = 14 * 60;

/**
 * One zone for each item. Hours that `hoursSchema` lacks are widened only on the operator's answer.
 * @param importedAt RFC 3339; an earlier start without an end means always
 */
export function hoursOfWindows(windows: readonly StatedWindow[], importedAt: string, report: ImportReport): Hours[] {
  const readings = windows.map((window) => hoursOfWindow(window, importedAt, report));
  const hours = readings.flatMap((reading) => (reading ? [reading.hours] : []));
  if (hours.length === 0 || hours.includes(null)) return [null];
  const weekly = new Map<string, Weekly[number][]>();
  const spans: Hours[] = [];
  for (const each of hours) {
    if (each && 'weekly' in each) weekly.set(each.time_zone, [...(weekly.get(each.time_zone) ?? []), ...each.weekly]);
    else spans.push(each);
  }
  const joined = Array.from(weekly, ([time_zone, all]) => {
    if (all.length <= WEEKLY_MAX) return isAlways(all) ? null : { time_zone, weekly: all };
    report.ask('hours', `${windows[0]?.place}: ${all.length} weekly windows`);
    return null;
  });
  return joined.includes(null) ? [null] : [...joined, ...spans];
}

function isAlways(weekly: Weekly): boolean {
  return WEEKDAYS.every((day) => weekly.some(({ days, from, to }) => from === to && days.includes(day)));
}

function hoursOfWindow(window: StatedWindow, importedAt: string, report: ImportReport): Reading {
  const { place } = window;
  const start = stated(window.start, 'start', place, report);
  const end = stated(window.end, 'end', place, report);
  if (start === 'unreadable' || end === 'unreadable') return undefined;
  const now = Math.floor(Date.parse(importedAt) / 60_000);
  const hasBegun = start === null || start.minutes + (start.isZoned ? 0 : LARGEST_OFFSET_MIN) <= now;
  if (window.schedule.length > 0) {
    const weekly = weeklyOf(window, report);
    if (weekly && (end !== null || !hasBegun)) report.ask('hours', `${place}: weekly windows between dates`);
    return weekly;
  }
  if (start === null && end === null) return report.problem(place, 'states no time, and is not permanent');
  if (end === null) {
    if (!hasBegun) report.ask('hours', `${place}: a start without an end`);
    return { hours: null };
  }
  if (start && start.isZoned !== end.isZoned)
    return report.problem(place, 'states a time zone for one of its two times only');
  const from = start?.minutes ?? now;
  if (from >= end.minutes)
    return report.problem(
      place,
      start ? 'ends before it starts' : 'ended before this import, and does not state when it started',
    );
  const time_zone = timeZoneOf(end, place, report);
  const [fromText, toText] = [localTimeText(from), localTimeText(end.minutes)];
  if (fromText === undefined || toText === undefined) return report.problem(place, 'has a year beyond 9999');
  return { hours: { time_zone, from: fromText, to: toText } };
}

function stated(
  value: unknown,
  edge: 'start' | 'end',
  place: string,
  report: ImportReport,
): StatedTime | null | 'unreadable' {
  if (value === null || value === undefined || value === '') return null;
  const time = readDateTime(value, edge);
  if (time) return time;
  report.problem(place, `has the ${edge} ${shown(value)}, which is no date with a time such as 2026-11-27T22:00Z`);
  return 'unreadable';
}

/** Times with an offset are in UTC already. */
function timeZoneOf({ isZoned }: StatedTime, place: string, report: ImportReport): string {
  return isZoned ? 'UTC' : (report.ask('time_zone', place) ?? 'UTC');
}

function weeklyOf({ schedule, place }: StatedWindow, report: ImportReport): Reading {
  const weekly: Weekly[number][] = [];
  const zones = new Set<string>();
  let isByDaylight = false;
  for (const [index, daily] of schedule.entries()) {
    const where = `${place}, schedule ${index + 1}`;
    const days = daysOf(daily.day, where, report);
    if (daily.startEvent || daily.endEvent) {
      report.ask(
        'hours',
        `${where}: from ${shown(daily.startEvent ?? daily.startTime)} to ${shown(daily.endEvent ?? daily.endTime)}`,
      );
      isByDaylight = true;
      continue;
    }
    const from = readTimeOfDay(daily.startTime, 'start');
    const to = readTimeOfDay(daily.endTime, 'end');
    if (!from || !to) {
      report.problem(
        where,
        `has the times ${shown(daily.startTime)} and ${shown(daily.endTime)}, which are no times of day such as 06:00Z`,
      );
    } else if (from.isZoned !== to.isZoned || from.offset !== to.offset) {
      report.problem(where, 'starts and ends in different time zones');
    } else if (days) {
      zones.add(timeZoneOf(from, where, report));
      // Publishers mean the end of the day.
      const end = to.minutes + to.offset === 1439 ? to.minutes + 1 : to.minutes;
      const shift = Math.floor(from.minutes / 1440);
      weekly.push({
        days: WEEKDAYS.filter((_, day) => days.has((day - shift + 7) % 7)),
        from: timeOfDayText(from.minutes),
        to: timeOfDayText(end),
      });
    }
  }
  if (isByDaylight) return { hours: null };
  const [time_zone] = zones;
  if (time_zone === undefined) return undefined;
  if (zones.size > 1) return report.problem(place, 'states a time zone for some of its times only');
  return { hours: { time_zone, weekly } };
}

/** @returns indices into `WEEKDAYS` */
function daysOf(value: unknown, place: string, report: ImportReport): ReadonlySet<number> | undefined {
  const names = (Array.isArray(value) ? value : [value]).map((name) => textOf(name).toLowerCase());
  if (names.includes('any')) return new Set(WEEKDAYS.keys());
  const days = names.map((name) => (WEEKDAYS as readonly string[]).indexOf(name));
  if (days.length === 0 || days.includes(-1))
    return report.problem(place, `has the days ${shown(value)}, which are none of MON to SUN and ANY`);
  return new Set(days);
}

interface StatedTime {
  /** Minutes since 1970 or midnight, in UTC if `isZoned`. */
  readonly minutes: number;
  readonly isZoned: boolean;
}

interface StatedTimeOfDay extends StatedTime {
  /** How many minutes it is ahead of UTC. */
  readonly offset: number;
}

const ZONE = String.raw`(Z|[+-]\d{2}(?::?\d{2})?)?`;
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?`;
const dateTime = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})[T ]${TIME}\s?${ZONE}$`, 'i');
const timeOfDay = new RegExp(`^${TIME}\\s?${ZONE}$`, 'i');

/** ISO 8601. Rounds outward to minutes, so that windows never shrink. */
function readDateTime(text: unknown, edge: 'start' | 'end'): StatedTime | undefined {
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
function readTimeOfDay(text: unknown, edge: 'start' | 'end'): StatedTimeOfDay | undefined {
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
function localTimeText(minutes: number): string | undefined {
  const text = new Date(minutes * 60_000).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 16) : undefined;
}

/** Wraps to one day. */
function timeOfDayText(minutes: number): string {
  const ofDay = ((minutes % 1440) + 1440) % 1440;
  return [Math.floor(ofDay / 60), ofDay % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

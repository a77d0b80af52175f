import type { Hours } from '#lib/zones/zone.ts';
import { WEEKDAYS } from '#lib/zones/zone.ts';

type Weekday = (typeof WEEKDAYS)[number];

export const WEEKDAY_TEXT: Readonly<Record<Weekday, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

/** Also in UTC, at the zone's offset at `atMs`. */
export function hoursText(hours: Hours, atMs: number): string {
  if (!hours) return 'Always';
  const offset = offsetMinutes(hours.time_zone, atMs);
  if ('weekly' in hours) {
    const windows = hours.weekly.map(({ days, from, to }) => {
      const utc = offset === undefined ? '' : ` (${shifted(from, -offset)}–${shifted(to, -offset)} UTC now)`;
      return `${daysText(days)} ${from}–${to}${utc}`;
    });
    return `${windows.join(', ')}, ${hours.time_zone}`;
  }
  const { from, to, time_zone } = hours;
  return `${spanEnd(from)} to ${spanEnd(to)}, ${time_zone}${utcSpan(from, to, time_zone)}`;
}

/** `Mon–Fri`, `Sat, Sun`. */
export function daysText(days: readonly Weekday[]): string {
  const chosen = WEEKDAYS.filter((day) => days.includes(day));
  if (chosen.length === WEEKDAYS.length) return 'Daily';
  const runs: Weekday[][] = [];
  for (const day of chosen) {
    const last = runs.at(-1);
    const before = WEEKDAYS[WEEKDAYS.indexOf(day) - 1];
    if (last && last.at(-1) === before) last.push(day);
    else runs.push([day]);
  }
  const text = (day: Weekday | undefined) => (day ? WEEKDAY_TEXT[day] : '');
  return runs
    .map((run) => (run.length > 2 ? `${text(run[0])}–${text(run.at(-1))}` : run.map(text).join(', ')))
    .join(', ');
}

/** Minutes that the zone is ahead of UTC; `undefined` for an unknown zone. */
function offsetMinutes(timeZone: string, atMs: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(atMs);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name) ?? [];
    if (!name.startsWith('GMT')) return undefined;
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  } catch {
    return undefined;
  }
}

function shifted(time: string, byMinutes: number): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const day = 24 * 60;
  const at = (((hours * 60 + minutes + byMinutes) % day) + day) % day;
  return `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
}

function spanEnd(local: string): string {
  return local.replace('T', ' ');
}

function utcSpan(from: string, to: string, timeZone: string): string {
  const ends = [from, to].map((local) => {
    const atMs = Date.parse(`${local}:00Z`);
    const offset = offsetMinutes(timeZone, atMs);
    return offset === undefined ? undefined : new Date(atMs - offset * 60_000).toISOString().slice(0, 16);
  });
  const [start, end] = ends;
  return start === undefined || end === undefined ? '' : ` (${spanEnd(start)} to ${spanEnd(end)} UTC)`;
}

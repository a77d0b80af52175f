import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from '#lib/time/time-units.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import { type Hours, WEEKDAYS } from './zone.ts';

/** A span of hours in epoch milliseconds, `to` exclusive. */
interface HoursSpan {
  readonly isActive: boolean;
  readonly from: number;
  readonly to: number;
}

/** A week, and the nights at its ends. */
const DAYS_AROUND = 9;
const ALWAYS: HoursSpan = { isActive: true, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** A sentence for operators; `undefined` if the hours are valid. */
export function hoursProblem(hours: Hours): string | undefined {
  if (hours === null) return undefined;
  if (!isTimeZone(hours.time_zone)) {
    return `“${hours.time_zone}” is not an IANA time zone; write a name such as Europe/Zurich.`;
  }
  if ('weekly' in hours) return undefined;
  try {
    const [from, to] = [Temporal.PlainDateTime.from(hours.from), Temporal.PlainDateTime.from(hours.to)];
    return Temporal.PlainDateTime.compare(from, to) < 0 ? undefined : 'The hours end before they begin.';
  } catch {
    return 'The hours begin and end on days of the calendar.';
  }
}

export class ZoneHours {
  readonly #hours: Hours;
  #span: HoursSpan;

  /** @param hours without an `hoursProblem` */
  constructor(hours: Hours) {
    this.#hours = hours;
    this.#span = hours === null ? ALWAYS : { isActive: false, from: 0, to: 0 };
  }

  isActive(atMs: number): boolean {
    return this.#spanAt(atMs).isActive;
  }

  /** The first time without active hours; `undefined` if they are active throughout. */
  overBetween(fromMs: number, toMs: number): number | undefined {
    for (let at = fromMs; ; ) {
      const span = this.#spanAt(at);
      if (!span.isActive) return Math.max(span.from, fromMs);
      if (span.to > toMs) return undefined;
      at = span.to;
    }
  }

  /** Spans that follow each other without a gap. Successive ones may be alike. */
  *spans(fromMs: number, toMs: number): Generator<HoursSpan> {
    for (let at = fromMs; at < toMs; ) {
      const { isActive, to } = this.#spanAt(at);
      yield { isActive, from: at, to: Math.min(to, toMs) };
      at = to;
    }
  }

  /** Since when the hours are active, at most 9 days back; `undefined` if they are not. */
  activeSince(atMs: number): number | undefined {
    const { isActive, from } = this.#spanAt(atMs);
    return isActive ? from : undefined;
  }

  #spanAt(atMs: number): HoursSpan {
    if (atMs < this.#span.from || atMs >= this.#span.to) this.#span = hoursSpan(this.#hours, atMs);
    return this.#span;
  }
}

function hoursSpan(hours: Hours, atMs: number): HoursSpan {
  if (hours === null) return ALWAYS;
  let { from, to } = ALWAYS;
  let windows: readonly HoursWindow[];
  if ('weekly' in hours) {
    windows = weeklyWindows(hours.weekly, hours.time_zone, atMs);
    [from, to] = [atMs - (DAYS_AROUND - 1) * DAY_MS, atMs + (DAYS_AROUND - 1) * DAY_MS];
  } else {
    windows = [windowOf(hours.from, hours.to, hours.time_zone)];
  }
  let active: HoursWindow | undefined;
  for (const window of windows) {
    if (active && window.startMs <= active.endMs) active = { ...active, endMs: Math.max(active.endMs, window.endMs) };
    else {
      if (active && active.endMs > atMs) break;
      if (active) from = Math.max(from, active.endMs);
      active = window;
    }
    if (active.startMs > atMs) return { isActive: false, from, to: Math.min(to, active.startMs) };
  }
  if (!active) return { isActive: false, from, to };
  if (active.endMs <= atMs) return { isActive: false, from: Math.max(from, active.endMs), to };
  return { isActive: true, from: Math.max(from, active.startMs), to: Math.min(to, active.endMs) };
}

interface HoursWindow {
  readonly startMs: number;
  readonly endMs: number;
}

type WeeklyWindow = Extract<NonNullable<Hours>, { weekly: unknown }>['weekly'][number];

function weeklyWindows(weekly: readonly WeeklyWindow[], zone: string, atMs: number): HoursWindow[] {
  const today = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate();
  const windows: HoursWindow[] = [];
  for (let offset = -DAYS_AROUND; offset <= DAYS_AROUND; offset++) {
    const day = today.add({ days: offset });
    const name = WEEKDAYS[day.dayOfWeek - 1];
    for (const { days, from, to } of weekly) {
      if (name === undefined || !days.includes(name)) continue;
      const lastDay = to <= from ? day.add({ days: 1 }) : day;
      windows.push(windowOf(`${day}T${from}`, `${lastDay}T${to}`, zone));
    }
  }
  return windows.toSorted((one, other) => one.startMs - other.startMs);
}

/** A repeated local time starts at the first and ends at the second; a skipped one is the change of clocks. */
function windowOf(from: string, to: string, zone: string): HoursWindow {
  return { startMs: instantMs(from, zone, 'earlier'), endMs: instantMs(to, zone, 'later') };
}

function instantMs(local: string, zone: string, disambiguation: 'earlier' | 'later'): number {
  const plain = Temporal.PlainDateTime.from(local);
  const zoned = plain.toZonedDateTime(zone, { disambiguation });
  if (zoned.toPlainDateTime().equals(plain)) return zoned.epochMilliseconds;
  const before = plain.toZonedDateTime(zone, { disambiguation: 'earlier' });
  return before.getTimeZoneTransition('next')?.epochMilliseconds ?? zoned.epochMilliseconds;
}

import { HISTORY_MAX_AGE_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { timeOfDayMs } from '#lib/model/clock-text.ts';
import {
  addMs,
  epochMs,
  formatInstant,
  parseInstant,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** The window of a replay, as operators type it and as forms show it. All times are UTC. */
export interface WindowForm {
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

export type ReadWindow =
  | { readonly window: Window; readonly problem?: undefined }
  | { readonly window?: undefined; readonly field: 'day' | 'from' | 'to'; readonly problem: string };

/** The window has whole minutes, so that operators share cached windows. */
export function lastMinutes(minutes: number, now: UpstreamInstant): Window {
  const end = upstreamInstant(Math.floor(epochMs(now) / MINUTE_MS) * MINUTE_MS);
  return { start: addMs(end, -minutes * MINUTE_MS), end };
}

export function formOf({ start, end }: Window): WindowForm {
  return { day: formatInstant(start).slice(0, 10), from: timeOf(start), to: timeOf(end) };
}

/** An end before the start is on the next day, so no window is longer than a day. */
export function readWindow({ day, from, to }: WindowForm, now: UpstreamInstant): ReadWindow {
  const midnight = parseInstant(`${day.trim()}T00:00:00Z`);
  if (midnight === undefined) return { field: 'day', problem: 'Write a day as 2026-11-21.' };
  const fromMs = timeOfDayMs(from);
  if (fromMs === undefined) return { field: 'from', problem: 'Write a time as 10:04 or 10:04:30.' };
  const toMs = timeOfDayMs(to);
  if (toMs === undefined) return { field: 'to', problem: 'Write a time as 10:04 or 10:04:30.' };
  const start = addMs(midnight, fromMs);
  const sameDayEnd = addMs(midnight, toMs);
  if (sameDayEnd === start)
    return { field: 'to', problem: 'Start and end are the same; the window must be at least a second long.' };
  const end = sameDayEnd > start ? sameDayEnd : addMs(sameDayEnd, DAY_MS);
  if (start >= now) return { field: 'from', problem: 'The start is in the future; a replay shows the past.' };
  if (start < addMs(now, -HISTORY_MAX_AGE_MS)) {
    return { field: 'day', problem: `More than ${LOOKBACK_MAX_DAYS} days back, further than any history reaches.` };
  }
  return { window: { start, end } };
}

export type ReadSpan =
  | { readonly window: Window; readonly problem?: undefined }
  | { readonly window?: undefined; readonly problem: string };

const SPAN = /^(?:(\d{4}-\d{2}-\d{2})[T\s]+)?([\d:Zz]+)\s*(?:-|–|—|\.\.|to)\s*([\d:Zz]+)$/;

/**
 * `14:05–14:20` or `2026-11-21 14:05-14:20`, in UTC. Without a day: today, or yesterday if it would begin in the
 * future.
 */
export function readSpan(text: string, now: UpstreamInstant): ReadSpan {
  const match = SPAN.exec(text.trim());
  if (!match) return { problem: 'Write the times as 14:05–14:20, in UTC.' };
  const [, day, from = '', to = ''] = match;
  const today = formatInstant(now).slice(0, 10);
  const yesterday = formatInstant(addMs(now, -DAY_MS)).slice(0, 10);
  const read = readWindow({ day: day ?? today, from, to }, now);
  if (read.window || day !== undefined) return read;
  const before = readWindow({ day: yesterday, from, to }, now);
  return before.window ? before : read;
}

export function spanText(window: Window, now: UpstreamInstant): string {
  const { day, from, to } = formOf(window);
  return `${day === formatInstant(now).slice(0, 10) ? '' : `${day} `}${from}–${to}Z`;
}

function timeOf(instant: UpstreamInstant): string {
  return formatInstant(instant).slice(11, 19).replace(/:00$/, '');
}

import { HISTORY_MAX_AGE_MS, HISTORY_MAX_WINDOW_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** What an operator typed: a day, and times of it. All of it UTC. */
export interface WindowForm {
  /** `2026-11-21` */
  readonly day: string;
  /** `10:04` or `10:04:30` */
  readonly from: string;
  readonly to: string;
}

export type ReadWindow =
  | { readonly window: Window; readonly problem?: undefined }
  | { readonly window?: undefined; readonly field: 'day' | 'from' | 'to'; readonly problem: string };

/** The last minutes before now, to whole minutes: those who press at the same time get the same window. */
export function lastMinutes(minutes: number, nowMs: number): Window {
  const end = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return { start: upstreamInstant(end - minutes * MINUTE_MS), end: upstreamInstant(end) };
}

/** A window as the form shows it. */
export function formOf({ start, end }: Window): WindowForm {
  return { day: formatInstant(start).slice(0, 10), from: timeOf(start), to: timeOf(end) };
}

/** Reads what was typed. An end that is not after the start lies on the next day, where the hour allows. */
export function readWindow({ day, from, to }: WindowForm, nowMs: number): ReadWindow {
  const dayMs = readDay(day);
  if (dayMs === undefined) return { field: 'day', problem: 'Write a day as 2026-11-21.' };
  const fromMs = readTime(from);
  if (fromMs === undefined) return { field: 'from', problem: 'Write a time as 10:04 or 10:04:30.' };
  const toMs = readTime(to);
  if (toMs === undefined) return { field: 'to', problem: 'Write a time as 10:04 or 10:04:30.' };
  const start = dayMs + fromMs;
  const sameDayEnd = dayMs + toMs;
  if (sameDayEnd === start) return { field: 'to', problem: 'The end is the start: give it at least a second.' };
  const end = sameDayEnd > start ? sameDayEnd : sameDayEnd + DAY_MS;
  if (end - start > HISTORY_MAX_WINDOW_MS)
    return { field: 'to', problem: `A replay is at most ${durationWords(HISTORY_MAX_WINDOW_MS)} long.` };
  if (start >= nowMs) return { field: 'from', problem: 'This has not begun yet: a replay is of the past.' };
  if (start < nowMs - HISTORY_MAX_AGE_MS) {
    return { field: 'day', problem: `More than ${LOOKBACK_MAX_DAYS} days back, further than any history reaches.` };
  }
  return { window: { start: upstreamInstant(start), end: upstreamInstant(end) } };
}

function timeOf(instant: UpstreamInstant): string {
  return formatInstant(instant).slice(11, 19).replace(/:00$/, '');
}

function readDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text.trim())) return undefined;
  const ms = Date.parse(`${text.trim()}T00:00:00Z`);
  // A day such as 2026-02-31 is read as another one, or not at all.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.trim()) ? ms : undefined;
}

function readTime(text: string): number | undefined {
  const match = /^(\d{1,2}):?(\d{2})(?::?(\d{2}))?\s*[zZ]?$/.exec(text.trim());
  if (!match) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')];
  return hour > 23 || minute > 59 || second > 59 ? undefined : ((hour * 60 + minute) * 60 + second) * 1000;
}

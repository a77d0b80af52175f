import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { formOf, readWindow } from './window-form.ts';

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

import { MINUTE_MS } from '#lib/time/time-units.ts';

export interface PastWindow {
  /** `[start, end)`, epoch ms. */
  readonly start: number;
  readonly end: number;
}

export const iso = (ms: number) => new Date(ms).toISOString();

export function pastWindow(minutes: number, endedMinutesAgo = 2): PastWindow {
  const end = Math.floor(Date.now() / MINUTE_MS - endedMinutesAgo) * MINUTE_MS;
  return { start: end - minutes * MINUTE_MS, end };
}

/** Its parts are those that other loads ask for, too. */
export function alignedWindow(minutes: number): string {
  const end = Math.floor((Date.now() - 2 * MINUTE_MS) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  return `start=${iso(end - minutes * MINUTE_MS)}&end=${iso(end)}`;
}

import { MINUTE_MS } from '#lib/time/time-units.ts';

export interface PastWindow {
  /** `[start, end)`, epoch ms. */
  readonly start: number;
  readonly end: number;
}

export const iso = (ms: number) => new Date(ms).toISOString();

export const addressTime = (ms: number) => iso(ms).replace('.000Z', 'Z');

export function pastWindow(minutes: number, endedMinutesAgo = 2): PastWindow {
  const end = Math.floor(Date.now() / MINUTE_MS - endedMinutesAgo) * MINUTE_MS;
  return { start: end - minutes * MINUTE_MS, end };
}

export function replayPath({ start, end }: PastWindow, more = ''): string {
  return `/?view=46.9,8.2,8&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}${more}`;
}

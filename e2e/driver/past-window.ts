import { MINUTE_MS } from '#lib/time/time-units.ts';

export interface PastWindow {
  /** `[start, end)`, epoch ms. */
  readonly start: number;
  readonly end: number;
}

export const iso = (ms: number) => new Date(ms).toISOString();

/** As in the address bar: whole seconds, without a fraction. */
export const addressTime = (ms: number) => iso(ms).replace('.000Z', 'Z');

/** A window of whole minutes that ended some minutes ago. */
export function pastWindow(minutes: number, endedMinutesAgo = 2): PastWindow {
  const end = Math.floor(Date.now() / MINUTE_MS - endedMinutesAgo) * MINUTE_MS;
  return { start: end - minutes * MINUTE_MS, end };
}

/** Path of a replay of aircraft over central Switzerland. */
export function replayPath({ start, end }: PastWindow, more = ''): string {
  return `/?view=46.9,8.2,8&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}${more}`;
}

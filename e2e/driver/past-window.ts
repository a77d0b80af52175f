import { MINUTE_MS } from '#lib/time/time-units.ts';

export interface PastWindow {
  /** Milliseconds of the epoch. */
  readonly start: number;
  readonly end: number;
}

export const iso = (ms: number) => new Date(ms).toISOString();

/** As the address writes whole seconds. */
export const written = (ms: number) => iso(ms).replace('.000Z', 'Z');

/** A window of whole minutes that ended a while ago. */
export function pastWindow(minutes: number, endedMinutesAgo = 2): PastWindow {
  const end = Math.floor(Date.now() / MINUTE_MS - endedMinutesAgo) * MINUTE_MS;
  return { start: end - minutes * MINUTE_MS, end };
}

/** The path of a replay of aircraft around the middle of Switzerland. */
export function replayPath({ start, end }: PastWindow, more = ''): string {
  return `/?view=46.9,8.2,8&layers=adsb&from=${written(start)}&to=${written(end)}${more}`;
}

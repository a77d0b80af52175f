import { iso, type PastWindow } from '#testing/past-window.ts';

export { iso, type PastWindow, pastWindow } from '#testing/past-window.ts';

export const addressTime = (ms: number) => iso(ms).replace('.000Z', 'Z');

export function replayPath({ start, end }: PastWindow, more = ''): string {
  return `/?view=46.9,8.2,8&layers=adsb&from=${addressTime(start)}&to=${addressTime(end)}${more}`;
}

import { durationText } from '#lib/model/duration-text.ts';

/** A time still to wait, to the next whole second: what has not come yet is never `0 s` away. */
export function waitText(ms: number): string {
  return durationText(Math.ceil(ms / 1000) * 1000);
}

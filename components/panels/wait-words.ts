import { durationWords } from '#lib/model/duration-words.ts';

/** A time still to wait, to the next whole second: what has not come yet is never `0 s` away. */
export function waitWords(ms: number): string {
  return durationWords(Math.ceil(ms / 1000) * 1000);
}

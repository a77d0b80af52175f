import { durationText } from '#lib/model/duration-text.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Measured reception in words: the same in an answer, a report and a form. */

/** Below 5 min, the share of 30 steps would be off by up to 9 points, one time in three. */
const FOLLOWED_S_MIN = 300;

/** The share of measured reception; `undefined` where too little or nothing was followed. @param followedS null: not measured */
export function heardShare(
  heardS: number | null | undefined,
  followedS: number | null | undefined,
): number | undefined {
  if (heardS == null || followedS == null || followedS < FOLLOWED_S_MIN) return undefined;
  return heardS / followedS;
}

/** A part in percent, which is never 0% of some nor 100% of less than all. */
export function percentText(part: number): string {
  if (part > 0 && part < 0.01) return 'under 1%';
  if (part < 1 && part > 0.99) return 'over 99%';
  return `${Math.round(part * 100)}%`;
}

/** @param followedS the time between first and last receptions of all tracks together */
export function heardText(share: number, followedS: number): string {
  return `heard in ${percentText(share)} of the ${durationText(followedS * SECOND_MS)} between first and last receptions`;
}

import 'server-only';
import type { Spending } from './ledger.ts';

/** Share of an allowance's known size that scheduled refreshes and history leave untouched; first views may use half of it. */
export const RESERVE = { minute: 0.1, day: 0.05 } as const;
/** Share of the day's known size that history may use. */
const HISTORY_SHARE = 0.3;

/**
 * Requests of an allowance that this kind of spending must leave untouched; 0 where the size is unknown. Rounded down: an
 * allowance of a few requests has none to spare for a reserve.
 */
export function allowanceFloor(window: keyof typeof RESERVE, size: number | undefined, spending: Spending): number {
  const part = spending === 'first-view' ? RESERVE[window] / 2 : RESERVE[window];
  return Math.floor((size ?? 0) * part);
}

/** Of a minute, history may use at least this part, however much live refreshes need. */
const HISTORY_OF_MINUTE_MIN = 0.1;

/** Requests of the minute that history leaves to live refreshes until its end. @param livePerS requests per second that they need */
export function keptForLive(minuteSize: number, livePerS: number, secondsLeft: number): number {
  const maxPerS = (minuteSize * (1 - RESERVE.minute - HISTORY_OF_MINUTE_MIN)) / 60;
  return Math.ceil(Math.min(livePerS, maxPerS) * secondsLeft);
}

/** Requests that history may use per day: at least one; unlimited where the day's size is unknown. */
export function historyShare(daySize: number | undefined): number {
  return daySize === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(daySize * HISTORY_SHARE));
}

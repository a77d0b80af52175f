import 'server-only';
import type { Spending } from './ledger.ts';

/** Share that scheduled refreshes and history leave untouched; first views may use half of it. */
export const RESERVE = { minute: 0.1, day: 0.05 } as const;
const HISTORY_SHARE = 0.3;

/** Rounded down: a small allowance has none to spare. */
export function allowanceFloor(window: keyof typeof RESERVE, size: number | undefined, spending: Spending): number {
  const part = spending === 'first-view' ? RESERVE[window] / 2 : RESERVE[window];
  return Math.floor((size ?? 0) * part);
}

/** Share of a minute that history may use, however much live refreshes need. */
const HISTORY_OF_MINUTE_MIN = 0.1;

/** Requests of the minute left to live refreshes. */
export function keptForLive(minuteSize: number, livePerS: number, secondsLeft: number): number {
  const maxPerS = (minuteSize * (1 - RESERVE.minute - HISTORY_OF_MINUTE_MIN)) / 60;
  return Math.ceil(Math.min(livePerS, maxPerS) * secondsLeft);
}

export function historyShare(daySize: number | undefined): number {
  return daySize === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(daySize * HISTORY_SHARE));
}

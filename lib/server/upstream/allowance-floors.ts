import 'server-only';
import type { Spending } from '../ports/ledger.ts';

/** Part of an allowance's known size that sweeps and history leave alone; arrivals may take half of it. */
export const RESERVE = { minute: 0.1, day: 0.05 } as const;
/** Part of the day's known size that history may take. */
const HISTORY_SHARE = 0.3;

/**
 * Requests of an allowance that work of that kind leaves alone, whole; 0 where its size is not known. Rounded down: an
 * allowance of a few requests has none to spare for a reserve.
 */
export function allowanceFloor(window: keyof typeof RESERVE, size: number | undefined, spending: Spending): number {
  const part = spending === 'first-view' ? RESERVE[window] / 2 : RESERVE[window];
  return Math.floor((size ?? 0) * part);
}

/** Requests that history may take in a day: at least one, and any number where the day's size is not known. */
export function historyShare(daySize: number | undefined): number {
  return daySize === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(daySize * HISTORY_SHARE));
}

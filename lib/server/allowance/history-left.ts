import 'server-only';
import type { LedgerState } from '../ports/ledger.ts';
import { allowanceFloor, historyShare } from './allowance-floors.ts';

/**
 * Requests that loading history may make now, as far as is known: what is left of minute and day beyond the reserve, and of history's
 * share of the day. `undefined` where the size of either is not known yet.
 */
export function historyLeft(state: LedgerState): number | undefined {
  if (state.pausedUntil !== undefined) return 0;
  const { minute, day } = state;
  if (minute.size === undefined || day.size === undefined) return undefined;
  const spare = (['minute', 'day'] as const).map((window) => {
    const { remaining, reserved, size } = state[window];
    // Nothing was reported in this window yet, so it has as much as the ones before it.
    return (remaining ?? size ?? 0) - reserved - allowanceFloor(window, size, 'history');
  });
  return Math.max(0, Math.min(...spare, historyShare(day.size) - state.spentOnHistoryToday));
}

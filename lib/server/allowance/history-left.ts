import 'server-only';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { allowanceFloor, historyShare, keptForLive } from './allowance-floors.ts';
import type { LedgerState, PastTerms } from './ledger.ts';
import { leftForOperator } from './past-shares.ts';

/** `undefined` while the size of minute or day is unknown. */
export function historyLeft(
  state: LedgerState,
  { operator, hasOtherOperators, livePerS }: PastTerms,
  now: UpstreamInstant,
): number | undefined {
  if (state.pausedUntil !== undefined) return 0;
  const { minute, day } = state;
  if (minute.size === undefined || day.size === undefined) return undefined;
  const spare = (['minute', 'day'] as const).map((window) => {
    const { remaining, reserved, size } = state[window];
    // A window without a report has as much as the ones before it.
    const kept =
      window === 'minute' ? keptForLive(size ?? 0, livePerS, msBetween(now, minute.resetsAt) / SECOND_MS) : 0;
    return (remaining ?? size ?? 0) - reserved - allowanceFloor(window, size, 'history') - kept;
  });
  const share = historyShare(day.size) - state.spentOnHistoryToday;
  return Math.max(0, Math.min(...spare, leftForOperator(share, operator, state.historyUses, hasOtherOperators, now)));
}

import 'server-only';
import { allowanceFloor, RESERVE } from '../../allowance/allowance-floors.ts';
import type { AllowanceWindow, LedgerState } from '../../allowance/ledger.ts';

/**
 * Requests per second; 0 at the floor, `undefined` while neither allowance is known.
 * @param expectedDemandS until midnight UTC, more than 0
 */
export function paceRate(state: LedgerState, expectedDemandS: number): number | undefined {
  const { minute, day } = state;
  const dayLeft = spare(day);
  const perDay = dayLeft === undefined ? undefined : dayLeft / expectedDemandS;
  const perMinute = minute.size === undefined ? undefined : ((1 - RESERVE.minute) * minute.size) / 60;
  if (perDay === undefined) return perMinute;
  return perMinute === undefined ? perDay : Math.min(perDay, perMinute);
}

/** A new day has its whole size. */
function spare(day: AllowanceWindow): number | undefined {
  const remaining = day.remaining ?? day.size;
  if (remaining === undefined) return undefined;
  return Math.max(0, remaining - day.reserved - allowanceFloor('day', day.size, 'scheduled'));
}

import 'server-only';
import { allowanceFloor, RESERVE } from '../../allowance/allowance-floors.ts';
import type { AllowanceWindow, LedgerState } from '../../allowance/ledger.ts';

/**
 * Requests per second for scheduled refreshes. At this rate, the rest of the day above its floor lasts for the expected demand, and
 * no minute is used beyond its share. 0 at the floor, `undefined` while neither allowance is known.
 * @param expectedDemandS seconds until midnight UTC in which viewers are expected, more than 0
 */
export function paceRate(state: LedgerState, expectedDemandS: number): number | undefined {
  const { minute, day } = state;
  const dayLeft = spare(day);
  const perDay = dayLeft === undefined ? undefined : dayLeft / expectedDemandS;
  const perMinute = minute.size === undefined ? undefined : ((1 - RESERVE.minute) * minute.size) / 60;
  if (perDay === undefined) return perMinute;
  return perMinute === undefined ? perDay : Math.min(perDay, perMinute);
}

/** Of a day that has just begun only its size is known, and that is what it begins with. */
function spare(day: AllowanceWindow): number | undefined {
  const remaining = day.remaining ?? day.size;
  if (remaining === undefined) return undefined;
  return Math.max(0, remaining - day.reserved - allowanceFloor('day', day.size, 'scheduled'));
}

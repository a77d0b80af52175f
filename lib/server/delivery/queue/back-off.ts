import 'server-only';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

const FIRST_MS = 5 * SECOND_MS;
const LONGEST_MS = 15 * MINUTE_MS;
const LEAST_MS = SECOND_MS;
/** Of a wait that the destination asks for: a mistake there must not take the day of a notice. */
const ASKED_MAX_MS = HOUR_MS;

/**
 * Full jitter: destinations that failed together are not tried together.
 * @param failures in a row, 1 or more
 * @param askedMs by the destination
 */
export function backOffMs(
  failures: number,
  random: () => number,
  { askedMs = 0, longestMs = LONGEST_MS }: { readonly askedMs?: number | undefined; readonly longestMs?: number } = {},
): number {
  const most = Math.min(longestMs, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.max(LEAST_MS, Math.min(askedMs, ASKED_MAX_MS), Math.round(random() * most));
}

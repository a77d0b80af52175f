import 'server-only';
import type { Stretch } from './stretch.ts';

/** The rate is measured over this many records. */
const RUN_RECORDS = 25;
/** A rate this many times the usual one is a burst. */
const BURST_LEVEL = 3;

/**
 * Estimates the rest of a burst in which an answer was cut off. How long it continues is unknown: the estimate is as long again
 * as was seen.
 *
 * @param fromCut observation times of the records that came, in milliseconds, starting at the cut
 * @param isMissing the side of the cut that did not come
 * @param usual records per millisecond
 * @returns what to expect on the other side of the cut; `undefined` where the answer was not cut off in a burst
 */
export function burstAtCut(
  fromCut: readonly number[],
  isMissing: 'earlier' | 'later',
  usual: number,
): Stretch | undefined {
  let seen = 0;
  for (let next = RUN_RECORDS; next < fromCut.length; next += RUN_RECORDS) {
    const runMs = Math.abs((fromCut[next] as number) - (fromCut[seen] as number));
    if (RUN_RECORDS <= BURST_LEVEL * usual * Math.max(1, runMs)) break;
    seen = next;
  }
  if (seen === 0) return undefined;
  const edgeMs = fromCut[0] as number;
  const lengthMs = Math.max(1, Math.abs(edgeMs - (fromCut[seen] as number)));
  return isMissing === 'later'
    ? { startMs: edgeMs, endMs: edgeMs + lengthMs, records: seen }
    : { startMs: edgeMs - lengthMs, endMs: edgeMs, records: seen };
}

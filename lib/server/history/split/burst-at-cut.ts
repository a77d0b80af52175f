import 'server-only';
import type { Stretch } from './stretch.ts';

/** The rate is looked at over so many records. */
const RUN_RECORDS = 25;
/** So many times what is usual there is a burst. */
const BURST_LEVEL = 3;

/**
 * A burst that an answer was cut in. Nothing tells how long it goes on: as long again as was seen of it is taken for likely.
 *
 * @param fromCut when what came was observed, from the cut away
 * @param isMissing which side of the cut did not come
 * @param usual records a millisecond
 * @returns what to expect of it on the other side of the cut; `undefined` where the answer was cut in no burst
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

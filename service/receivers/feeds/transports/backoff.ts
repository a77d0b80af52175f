import { backOffMs, halfJitterMs } from '#lib/async/back-off.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

const FIRST_MS = SECOND_MS;
/** Finds a receiver within 5 s of its return. Polls of a running one come every second. */
const LONGEST_MS = 3 * SECOND_MS;
/** The longest wait for a server that refuses, since it may count attempts. */
export const REFUSED_MS = MINUTE_MS;

export interface Backoff {
  /** The next wait: it doubles from 1 s to the longest, minus up to half at random. */
  nextMs(longestMs?: number): number;
  reset(): void;
}

/** @param random spreads the retries of feeds that failed together */
export function makeBackoff(random: () => number): Backoff {
  let failures = 0;
  return {
    nextMs(longestMs = LONGEST_MS) {
      failures += 1;
      return halfJitterMs(backOffMs(failures, { firstMs: FIRST_MS, maxMs: longestMs }), random);
    },
    reset() {
      failures = 0;
    },
  };
}

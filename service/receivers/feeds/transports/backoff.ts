import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

const FIRST_MS = SECOND_MS;
const LONGEST_MS = MINUTE_MS;

/** How long to wait before a connection is tried again. */
export interface Backoff {
  /** Twice as long at each failure, from one second to a minute, and by chance up to half of it shorter. */
  nextMs(): number;
  /** The connection has proved itself: the next failure is a first one. */
  reset(): void;
}

/** @param random dice, so that feeds that failed together do not all come back together */
export function makeBackoff(random: () => number): Backoff {
  let failures = 0;
  return {
    nextMs() {
      const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
      failures = Math.min(failures + 1, 16);
      return Math.round(longestMs * (1 - random() / 2));
    },
    reset() {
      failures = 0;
    },
  };
}

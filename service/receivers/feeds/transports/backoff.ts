import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

const FIRST_MS = SECOND_MS;
const LONGEST_MS = MINUTE_MS;

export interface Backoff {
  /** Doubles from one second to a minute, minus up to half at random. */
  nextMs(): number;
  /** The connection proved stable, so the next failure is a first one. */
  reset(): void;
}

/** @param random so that feeds that failed together don't retry together */
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

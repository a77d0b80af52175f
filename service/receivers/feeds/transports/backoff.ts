import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

const FIRST_MS = SECOND_MS;
const LONGEST_MS = MINUTE_MS;

export interface Backoff {
  /** 1 s to a minute, doubling, minus up to half at random. */
  nextMs(): number;
  reset(): void;
}

/** @param random spreads the retries of feeds that failed together */
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

// The lengths of waits between attempts that fail: doubling with each failure in a row, up to the longest, with jitter. It
// never waits, repeats, counts failures or draws random numbers: its callers do, and some store the next attempt in the
// database. Libraries such as p-retry and cockatiel count in memory and take jitter from Math.random.

export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The longest wait before the next attempt: it doubles with each failure in a row.
 * @param failures at least 1
 */
export function backOffMs(failures: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * A wait of any length up to the longest: what failed together is not tried together.
 * @param random from 0 to 1
 */
export function fullJitterMs(longestMs: number, random: () => number): number {
  return Math.round(longestMs * random());
}

/**
 * A wait of half to all of the longest, where an early attempt would fail again.
 * @param random from 0 to 1
 */
export function halfJitterMs(longestMs: number, random: () => number): number {
  return Math.round(longestMs * (1 - random() / 2));
}

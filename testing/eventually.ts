import { vi } from 'vitest';

/** Shorter than a test's limit, so that a check that never passes says why. */
const WITHIN_MS = 50_000;

/** @returns the check's result */
export function eventually<Result>(check: () => Result | Promise<Result>, everyMs = 50): Promise<Result> {
  return vi.waitFor(check, { timeout: WITHIN_MS, interval: everyMs });
}

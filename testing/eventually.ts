import { vi } from 'vitest';

/** Less than a test may take: a check that never passes says why. */
const WITHIN_MS = 50_000;

/** Repeats a check until it passes, however slow the machine is. @returns what it returns */
export function eventually<Result>(check: () => Result | Promise<Result>, everyMs = 50): Promise<Result> {
  return vi.waitFor(check, { timeout: WITHIN_MS, interval: everyMs });
}

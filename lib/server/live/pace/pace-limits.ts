import 'server-only';

/** How often areas are refreshed: never sooner than `minMs`, and no later than `maxMs` while the rate allows it. */
export interface PaceLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Our own values: the contract states none. */
export const PACE_LIMITS: PaceLimits = { minMs: 5000, maxMs: 120_000 };

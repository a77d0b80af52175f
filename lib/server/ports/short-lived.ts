import 'server-only';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** How long each kind is kept. */
export const SHORT_LIVED_MS = {
  /** What an authenticator is to sign. */
  challenge: 5 * MINUTE_MS,
  /** That somebody showed again who they are. */
  confirmation: 5 * MINUTE_MS,
  /** That a sign-in at the provider came back; the cookie that it began with is good for no longer. */
  'ended-login': 10 * MINUTE_MS,
} as const;

export interface ShortLivedName {
  readonly kind: keyof typeof SHORT_LIVED_MS;
  /** Whatever was sent: of any length, with any characters. */
  readonly of: string;
}

/** Of each kind; for more, those that were kept first give way. */
export const SHORT_LIVED_MAX = 20_000;
/** Of one sender: a flood from one takes nobody else's away. */
export const SHORT_LIVED_OF_SENDER_MAX = 64;

/**
 * What is known for some minutes of people who sign in or change their ways in, wherever each of their requests goes. Bounded. Every method throws
 * `SharedStoreFailure` where that cannot be read or written.
 */
export interface ShortLived {
  /**
   * Begins its time anew where it is there already.
   * @param sender whose others give way to it
   * @returns whether there was none of this name; of several that are kept at the same time, one is told so
   */
  keep(name: ShortLivedName, value: string, sender?: string): Promise<boolean>;
  /** `undefined` for what was never kept, is forgotten, or too old. */
  read(name: ShortLivedName): Promise<string | undefined>;
  /** The same, and forgets it: of several that take it, one gets it. */
  take(name: ShortLivedName): Promise<string | undefined>;
}

/** By how much the clocks of two servers may differ. */
const SKEW_MS = MINUTE_MS;

/** Whether it is not too old; a clock that was set back does not make it last. */
export function isAlive({ kind }: ShortLivedName, keptAt: LocalInstant, now: LocalInstant): boolean {
  const ageMs = msBetween(keptAt, now);
  return ageMs >= -SKEW_MS && ageMs < SHORT_LIVED_MS[kind];
}

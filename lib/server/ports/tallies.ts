import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';

/** What is counted of attempts to sign in. Each kind has room of its own: a flood of names forgets no address. */
export type TallyKind = 'account' | 'address' | 'browser' | 'address-at-account' | 'address-at-provider';

export interface TallyName {
  readonly kind: TallyKind;
  /** Whatever was sent: of any length, with any characters. */
  readonly of: string;
}

export interface Tally {
  /** At least 0. */
  readonly count: number;
  /** Then the count begins anew. */
  readonly countedUntil: LocalInstant;
  /** Nothing is admitted before. */
  readonly delayedUntil: LocalInstant;
}

export interface TallyChange<Result> {
  readonly result: Result;
  /** One for each name, `undefined` to forget it; without this nothing is written. */
  readonly tallies?: readonly (Tally | undefined)[];
}

/**
 * Tallies of attempts to sign in. Bounded: a tally is forgotten when both of its times have passed, and of too many of a kind those that end first
 * are.
 */
export interface Tallies {
  /**
   * Atomic: nobody writes these between what `change` is given and what it makes of it.
   * @param change pure, as it may be called several times; given `undefined` for what was never counted, or forgotten
   * @throws SharedStoreFailure where it is not known to be written
   */
  change<Result>(
    names: readonly TallyName[],
    now: LocalInstant,
    change: (tallies: readonly (Tally | undefined)[]) => TallyChange<Result>,
  ): Promise<Result>;
}

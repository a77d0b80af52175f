import 'server-only';
import PQueue from 'p-queue';
import { addressBlock } from '#lib/front/address-block.ts';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { orRefuse } from '../database/database-failure.ts';
import type { Tallies, TallyName } from './tallies.ts';
import { counted, countOf, takenBack, waitS } from './tally.ts';

const WINDOW_MS = 15 * MINUTE_MS;
const OF_ACCOUNT = { free: 5, windowMs: WINDOW_MS };
const OF_ADDRESS = { free: 20, windowMs: WINDOW_MS };
const OF_BROWSER = { free: 5, windowMs: WINDOW_MS };
/** Failures of an address on an account; they delay nothing by themselves. */
const OF_PAIR = { free: Number.POSITIVE_INFINITY, windowMs: DAY_MS, isSliding: true };
/** So many failures of an address on an account, before the account's delay, which others may cause, counts for it too. */
const FREE_AT_ACCOUNT = 3;

/** Above that of every stranger. */
const KNOWN_BROWSER_PRIORITY = 1;

export interface SignInAttempt {
  readonly account: string;
  readonly address: string;
  /** The id of a browser in which this operator has signed in before. */
  readonly browser: string | undefined;
}

export interface Admission {
  /** Seconds to wait before another attempt; 0 where this one is admitted. */
  readonly waitS: number;
  /** Passwords are compared in this order, the highest first. A stranger has 0, and less after each failure. */
  readonly priority: number;
}

/**
 * Slows down password guessing, by account, by address and by browser. Every attempt counts as a failure from its admission until
 * it succeeds, so that concurrent attempts, whose passwords are still being compared, count like sequential ones.
 *
 * Strangers cannot keep an operator out. A known browser is delayed for its own failures alone. Others' failures at
 * an account delay an address only after it has failed there itself, so a thousand addresses gain a few guesses each.
 */
export class SignInThrottle {
  readonly #tallies: Tallies;
  readonly #now: () => LocalInstant;
  /** One at a time, so that those of one server do not write the same tallies against each other. */
  readonly #admissions = new PQueue({ concurrency: 1 });

  constructor(tallies: Tallies, now = () => localInstant(Date.now())) {
    this.#tallies = tallies;
    this.#now = now;
  }

  /** @throws ApiError where it cannot be counted */
  admit(attempt: SignInAttempt): Promise<Admission> {
    return this.#admissions.add(() =>
      orRefuse(attempt.browser === undefined ? this.#stranger(attempt) : this.#known(attempt.browser)),
    );
  }

  /** Undoes what admitting the attempt counted. @throws ApiError where it cannot be written */
  async succeeded(attempt: SignInAttempt): Promise<void> {
    const { browser } = attempt;
    await this.#admissions.add(() =>
      orRefuse(
        browser === undefined
          ? this.#tallies.change(namesOf(attempt), this.#now(), ([_, account, address]) => ({
              result: undefined,
              tallies: [undefined, takenBack(account), takenBack(address)],
            }))
          : this.#tallies.change([{ kind: 'browser', of: browser }], this.#now(), () => ({
              result: undefined,
              tallies: [undefined],
            })),
      ),
    );
  }

  #known(browser: string): Promise<Admission> {
    const now = this.#now();
    return this.#tallies.change([{ kind: 'browser', of: browser }], now, ([tally]) => {
      const result = { waitS: waitS(tally, now), priority: KNOWN_BROWSER_PRIORITY };
      return result.waitS > 0 ? { result } : { result, tallies: [counted(tally, OF_BROWSER, now)] };
    });
  }

  #stranger(attempt: SignInAttempt): Promise<Admission> {
    const now = this.#now();
    return this.#tallies.change<Admission>(namesOf(attempt), now, ([pair, account, address]) => {
      const isDelayedByOthers = countOf(pair, OF_PAIR, now) >= FREE_AT_ACCOUNT;
      const seconds = Math.max(waitS(address, now), isDelayedByOthers ? waitS(account, now) : 0);
      if (seconds > 0) return { result: { waitS: seconds, priority: 0 } };
      const ofAddress = counted(address, OF_ADDRESS, now);
      return {
        result: { waitS: 0, priority: 1 - ofAddress.count },
        tallies: [counted(pair, OF_PAIR, now), counted(account, OF_ACCOUNT, now), ofAddress],
      };
    });
  }
}

/** The keys by which an unknown browser's attempt is counted. */
function namesOf({ account, address }: SignInAttempt): readonly TallyName[] {
  const block = addressBlock(address);
  return [
    { kind: 'address-at-account', of: JSON.stringify([account, block]) },
    { kind: 'account', of: account },
    { kind: 'address', of: block },
  ];
}

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
const OF_PAIR = { free: Number.POSITIVE_INFINITY, windowMs: DAY_MS, isSliding: true };
/** Failures of an address on an account, before it shares the account's delay, which others may cause. */
const FREE_AT_ACCOUNT = 3;

const KNOWN_BROWSER_PRIORITY = 1;

export interface SignInAttempt {
  readonly account: string;
  readonly address: string;
  /** The id of a browser in which this operator has signed in before. */
  readonly browser: string | undefined;
}

export interface Admission {
  /** Seconds until another attempt; 0 if this one is admitted. */
  readonly waitS: number;
  /** The highest is compared first. Strangers have 0, and less after failures. */
  readonly priority: number;
}

/**
 * Attempts count as failures from their admission until they succeed, so parallel guesses gain nothing.
 *
 * Strangers cannot lock an operator out: only its own failures delay a known browser, and an account's failures delay
 * an address only after failures there.
 */
export class SignInThrottle {
  readonly #tallies: Tallies;
  readonly #now: () => LocalInstant;
  /** Admissions would conflict over the same tallies. */
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

  /** Undoes the attempt's count. @throws ApiError where it cannot be written */
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

function namesOf({ account, address }: SignInAttempt): readonly TallyName[] {
  const block = addressBlock(address);
  return [
    { kind: 'address-at-account', of: JSON.stringify([account, block]) },
    { kind: 'account', of: account },
    { kind: 'address', of: block },
  ];
}

import 'server-only';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { DAY_MS } from '#lib/time/time-units.ts';
import { addressBlock } from './address-block.ts';

/** Failures without a delay, within the window. */
const FREE_BY_ACCOUNT = 5;
const FREE_BY_ADDRESS = 20;
const FREE_BY_BROWSER = 5;
const WINDOW_S = 15 * 60;
/** The delay after further failures doubles up to this: slow for attackers, never a permanent lock. */
const MAX_DELAY_S = 5 * 60;
/** Failures of an address on an account, within a day, before what others do to the account counts for it too. */
const FREE_AT_ACCOUNT = 3;
const PAIRS_KEPT = 100_000;

/** Before every stranger. */
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
  /** Whose password is compared first: the higher. Strangers have 0, and less the more they have failed. */
  readonly priority: number;
}

/**
 * Slows down password guessing, by account, by address and by browser. Every attempt counts as a failure from its admission until
 * it succeeds, so that concurrent attempts, whose passwords are still being compared, count like sequential ones.
 *
 * Strangers cannot keep an operator out. A browser that is known answers for its own failures alone; and what others have done
 * to an account delays an address only after it has itself failed there, so that a thousand addresses gain a few guesses each.
 */
export class SignInThrottle {
  readonly #byAccount = new RateLimiterMemory({ keyPrefix: 'account', points: FREE_BY_ACCOUNT, duration: WINDOW_S });
  readonly #byAddress = new RateLimiterMemory({ keyPrefix: 'address', points: FREE_BY_ADDRESS, duration: WINDOW_S });
  readonly #byBrowser = new RateLimiterMemory({ keyPrefix: 'browser', points: FREE_BY_BROWSER, duration: WINDOW_S });
  readonly #delays = new RateLimiterMemory({ keyPrefix: 'delay', points: 1, duration: MAX_DELAY_S });
  /** Failures of an address on an account. */
  readonly #atAccount = new LRUCache<string, number>({ max: PAIRS_KEPT, ttl: DAY_MS });

  /** Sequential, so that no attempt reads the delays before the one ahead of it has been counted. */
  readonly #admissions = new PQueue({ concurrency: 1 });

  admit(attempt: SignInAttempt): Promise<Admission> {
    return this.#admissions.add(() =>
      attempt.browser === undefined ? this.#stranger(attempt) : this.#known(attempt.browser),
    );
  }

  /** Undoes what admitting the attempt counted. */
  async succeeded({ account, address, browser }: SignInAttempt): Promise<void> {
    if (browser !== undefined) {
      await Promise.all([this.#byBrowser.delete(browser), this.#delays.delete(`browser ${browser}`)]);
      return;
    }
    const block = addressBlock(address);
    this.#atAccount.delete(pair(account, block));
    await Promise.all([this.#byAccount.reward(account), this.#byAddress.reward(block)]);
  }

  async #known(browser: string): Promise<Admission> {
    const waitS = await this.#waitS(`browser ${browser}`);
    if (waitS === 0) await this.#count(this.#byBrowser, FREE_BY_BROWSER, browser, `browser ${browser}`);
    return { waitS, priority: KNOWN_BROWSER_PRIORITY };
  }

  async #stranger({ account, address }: SignInAttempt): Promise<Admission> {
    const block = addressBlock(address);
    const failedHere = this.#atAccount.get(pair(account, block)) ?? 0;
    const waitS = Math.max(
      await this.#waitS(`address ${block}`),
      failedHere < FREE_AT_ACCOUNT ? 0 : await this.#waitS(`account ${account}`),
    );
    if (waitS > 0) return { waitS, priority: 0 };
    this.#atAccount.set(pair(account, block), failedHere + 1);
    await this.#count(this.#byAccount, FREE_BY_ACCOUNT, account, `account ${account}`);
    const failures = await this.#count(this.#byAddress, FREE_BY_ADDRESS, block, `address ${block}`);
    return { waitS: 0, priority: 1 - failures };
  }

  async #waitS(delayKey: string): Promise<number> {
    const delay = await this.#delays.get(delayKey);
    return Math.ceil(Math.max(0, delay?.msBeforeNext ?? 0) / 1000);
  }

  /** @returns the failures within the window, this one included */
  async #count(limiter: RateLimiterMemory, free: number, key: string, delayKey: string): Promise<number> {
    const { consumedPoints }: RateLimiterRes = await limiter.penalty(key);
    const over = consumedPoints - free;
    if (over >= 0) await this.#delays.block(delayKey, Math.min(MAX_DELAY_S, 2 ** Math.min(over, 12)));
    return consumedPoints;
  }
}

function pair(account: string, block: string): string {
  return JSON.stringify([account, block]);
}

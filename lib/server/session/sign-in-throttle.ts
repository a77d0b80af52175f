import 'server-only';
import PQueue from 'p-queue';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Failures without a delay, within the window. */
const FREE_BY_ACCOUNT = 5;
const FREE_BY_ADDRESS = 20;
const WINDOW_S = 15 * 60;
/** The delay after further failures doubles up to this: slow for attackers, never a permanent lock. */
const MAX_DELAY_S = 5 * 60;

/**
 * Slows down password guessing, by account and by address. Every attempt counts as a failure from its admission until it
 * succeeds, so that concurrent attempts, whose passwords are still being compared, count like sequential ones.
 */
export class SignInThrottle {
  readonly #byAccount = new RateLimiterMemory({ keyPrefix: 'account', points: FREE_BY_ACCOUNT, duration: WINDOW_S });
  readonly #byAddress = new RateLimiterMemory({ keyPrefix: 'address', points: FREE_BY_ADDRESS, duration: WINDOW_S });
  readonly #delays = new RateLimiterMemory({ keyPrefix: 'delay', points: 1, duration: MAX_DELAY_S });

  /** Sequential, so that no attempt reads the delays before the one ahead of it has been counted. */
  readonly #admissions = new PQueue({ concurrency: 1 });

  /** Seconds to wait before another attempt; 0 where this one is admitted. */
  admit(account: string, address: string): Promise<number> {
    return this.#admissions.add(async () => {
      const waitS = await this.#waitS(account, address);
      if (waitS === 0) {
        await this.#count(this.#byAccount, FREE_BY_ACCOUNT, account, `account ${account}`);
        await this.#count(this.#byAddress, FREE_BY_ADDRESS, address, `address ${address}`);
      }
      return waitS;
    });
  }

  /** Undoes what admitting the attempt counted, and resets the account. */
  async succeeded(account: string, address: string): Promise<void> {
    await Promise.all([
      this.#byAccount.delete(account),
      this.#delays.delete(`account ${account}`),
      this.#byAddress.reward(address),
    ]);
  }

  async #waitS(account: string, address: string): Promise<number> {
    const delays = await Promise.all([this.#delays.get(`account ${account}`), this.#delays.get(`address ${address}`)]);
    return Math.ceil(Math.max(0, ...delays.map((delay) => delay?.msBeforeNext ?? 0)) / 1000);
  }

  async #count(limiter: RateLimiterMemory, free: number, key: string, delayKey: string): Promise<void> {
    const { consumedPoints }: RateLimiterRes = await limiter.penalty(key);
    const over = consumedPoints - free;
    if (over >= 0) await this.#delays.block(delayKey, Math.min(MAX_DELAY_S, 2 ** Math.min(over, 12)));
  }
}

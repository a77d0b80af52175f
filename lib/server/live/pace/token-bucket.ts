import 'server-only';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';

/** The tolerance for sums of fractions. */
const ROUNDING = 1e-6;

/** The lacking tokens stay when the capacity changes. */
export class TokenBucket {
  #ratePerS = 0;
  #capacity = 0;
  #lacking = 0;
  #at: LocalInstant | undefined;

  /** @param capacity a request for more waits for a full bucket */
  set(ratePerS: number, capacity: number, now: LocalInstant): void {
    this.#refill(now);
    this.#ratePerS = ratePerS;
    this.#capacity = capacity;
  }

  /** The tokens that are taken and not refilled yet. */
  lacking(now: LocalInstant): number {
    this.#refill(now);
    return this.#lacking;
  }

  /** The lacking part of the capacity, at most 1. */
  lackingFraction(now: LocalInstant): number {
    const lacking = this.lacking(now);
    return lacking < this.#capacity ? lacking / this.#capacity : Math.sign(lacking);
  }

  /** When so many tokens are available; `undefined` at a rate of 0. @param before requests that others take first */
  availableAt(requests: number, now: LocalInstant, before = 0): LocalInstant | undefined {
    const excess = this.lacking(now) + before + requests - Math.max(this.#capacity, requests);
    if (excess <= ROUNDING) return now;
    return this.#ratePerS > 0 ? addMs(now, Math.ceil((excess / this.#ratePerS) * 1000)) : undefined;
  }

  /** Takes requests even if unavailable; a negative number gives back. */
  take(requests: number, now: LocalInstant): void {
    this.#lacking = Math.max(0, this.lacking(now) + requests);
  }

  #refill(now: LocalInstant): void {
    if (this.#at !== undefined && now <= this.#at) return;
    if (this.#at !== undefined && this.#lacking > 0)
      this.#lacking = Math.max(0, this.#lacking - (this.#ratePerS * msBetween(this.#at, now)) / 1000);
    this.#at = now;
  }
}

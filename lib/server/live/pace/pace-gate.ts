import 'server-only';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** Sweeps may run ahead of the rate by so many requests, or by the largest refresh where that is more. */
const BURST = 10;
/** Tokens are sums of fractions: so much less than a whole request is a whole request. */
const ROUNDING = 1e-6;

/**
 * Keeps sweeps to the rate, whatever their scheduler has to catch up with: in any stretch of time they take no more than the
 * rate gives in it and one burst. Arrivals pass it, and sweeps wait until that is made up for.
 */
export class PaceGate {
  #rate = 0;
  #burst = BURST;
  #tokens = BURST;
  #at: UpstreamInstant | undefined;

  /**
   * @param rate requests a second from now on, at least 0
   * @param largestRefresh requests of the dearest refresh that is to pass
   */
  setPace(rate: number, largestRefresh: number, now: UpstreamInstant): void {
    this.#accrue(now);
    this.#rate = rate;
    this.#burst = Math.max(BURST, largestRefresh);
    this.#tokens = Math.min(this.#tokens, this.#burst);
  }

  /** Takes them and lets a sweep pass, or takes nothing. A sweep larger than what was announced waits for a full burst. */
  pass(requests: number, now: UpstreamInstant): boolean {
    this.#accrue(now);
    if (this.#tokens < Math.min(requests, this.#burst) - ROUNDING) return false;
    this.#tokens -= requests;
    return true;
  }

  /** From when on `pass` lets it through, if the rate stays; `undefined` at a rate of 0. */
  passesAt(requests: number, now: UpstreamInstant): UpstreamInstant | undefined {
    this.#accrue(now);
    const missing = Math.min(requests, this.#burst) - this.#tokens;
    if (missing <= 0) return now;
    return this.#rate > 0 ? addMs(now, Math.ceil((missing / this.#rate) * 1000)) : undefined;
  }

  /**
   * Requests that are made without asking. Sweeps make up for one burst of them at most.
   * @returns how many were charged, and so how many can be given back
   */
  charge(requests: number, now: UpstreamInstant): number {
    this.#accrue(now);
    const charged = Math.min(requests, Math.max(0, this.#tokens + this.#burst));
    this.#tokens -= charged;
    return charged;
  }

  /** Gives back what was taken or charged and not used. */
  giveBack(requests: number, now: UpstreamInstant): void {
    this.#accrue(now);
    this.#tokens = Math.min(this.#burst, this.#tokens + requests);
  }

  #accrue(now: UpstreamInstant): void {
    if (this.#at !== undefined && now > this.#at) {
      this.#tokens = Math.min(this.#burst, this.#tokens + (this.#rate * msBetween(this.#at, now)) / 1000);
    }
    if (this.#at === undefined || now > this.#at) this.#at = now;
  }
}

import 'server-only';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';

/** Scheduled refreshes may run ahead of the rate by this many requests, or by the largest refresh where that is more. */
const BURST = 10;
/** Tokens are sums of fractions: a request short of this little counts as whole. */
const ROUNDING = 1e-6;

/**
 * Keeps scheduled refreshes to the rate, however many are overdue: in any period they use at most what the rate gives in it
 * and one burst. First views pass unconditionally, and scheduled refreshes wait until that is compensated.
 */
export class PaceGate {
  #rate = 0;
  #burst = BURST;
  #tokens: number;
  #at: LocalInstant | undefined;

  /** @param tokens by how many requests refreshes may run ahead of the rate at first; below 0 they wait */
  constructor(tokens = BURST) {
    this.#tokens = tokens;
  }

  tokens(now: LocalInstant): number {
    this.#accrue(now);
    return this.#tokens;
  }

  /**
   * @param rate requests per second from now on, at least 0
   * @param largestRefresh requests of the most expensive refresh that has to pass
   */
  setPace(rate: number, largestRefresh: number, now: LocalInstant): void {
    this.#accrue(now);
    this.#rate = rate;
    this.#burst = Math.max(BURST, largestRefresh);
    this.#tokens = Math.min(this.#tokens, this.#burst);
  }

  /** Takes the requests and lets a scheduled refresh pass, or takes nothing. One larger than announced waits for a full burst. */
  pass(requests: number, now: LocalInstant): boolean {
    this.#accrue(now);
    if (this.#tokens < Math.min(requests, this.#burst) - ROUNDING) return false;
    this.#tokens -= requests;
    return true;
  }

  /** When `pass` will let it through, if the rate stays; `undefined` at a rate of 0. */
  passesAt(requests: number, now: LocalInstant): LocalInstant | undefined {
    this.#accrue(now);
    const missing = Math.min(requests, this.#burst) - this.#tokens;
    if (missing <= ROUNDING) return now;
    return this.#rate > 0 ? addMs(now, Math.ceil((missing / this.#rate) * 1000)) : undefined;
  }

  /**
   * Charges requests that are made without passing the gate. Scheduled refreshes compensate for at most one burst of them.
   * @returns how many were charged, and so can be given back
   */
  charge(requests: number, now: LocalInstant): number {
    this.#accrue(now);
    const charged = Math.min(requests, Math.max(0, this.#tokens + this.#burst));
    this.#tokens -= charged;
    return charged;
  }

  /** Gives back requests that were taken or charged and not used. */
  giveBack(requests: number, now: LocalInstant): void {
    this.#accrue(now);
    this.#tokens = Math.min(this.#burst, this.#tokens + requests);
  }

  #accrue(now: LocalInstant): void {
    if (this.#at !== undefined && now > this.#at) {
      this.#tokens = Math.min(this.#burst, this.#tokens + (this.#rate * msBetween(this.#at, now)) / 1000);
    }
    if (this.#at === undefined || now > this.#at) this.#at = now;
  }
}

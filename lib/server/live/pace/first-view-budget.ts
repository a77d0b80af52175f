import 'server-only';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';

/** What one operator's first views may use now. */
export interface FirstViewAllowance {
  /** Requests per second with which first views are worked off, at least 0. */
  readonly ratePerS: number;
  /** Requests of first views that may be made at once; a first view of more is made when nothing is owed. */
  readonly atOnce: number;
  /** What follows when the minute or the day of the account ends. */
  readonly next: { readonly at: LocalInstant; readonly ratePerS: number; readonly atOnce: number } | undefined;
}

/** Requests are sums of fractions: this little counts as none. */
const ROUNDING = 1e-6;

/**
 * Keeps one operator's first views to what the account allows now: in any period they use at most what the rate gives in it and what
 * may be used at once. First views that must wait are given the time of their turn.
 */
export class FirstViewBudget {
  #allowance: FirstViewAllowance;
  #owed = 0;
  #at: LocalInstant;

  constructor(allowance: FirstViewAllowance, now: LocalInstant) {
    this.#allowance = allowance;
    this.#at = now;
  }

  /** Sets what is allowed from now on. */
  setAllowance(allowance: FirstViewAllowance, now: LocalInstant): void {
    this.#workOff(now);
    this.#allowance = allowance;
  }

  /** Requests of first views that are not worked off yet. */
  owed(now: LocalInstant): number {
    this.#workOff(now);
    return this.#owed;
  }

  /** The same as a part of what may be used at once, 0 to 1. */
  owedPart(now: LocalInstant): number {
    const owed = this.owed(now);
    return owed > this.#allowance.atOnce ? 1 : owed === 0 ? 0 : owed / this.#allowance.atOnce;
  }

  charge(requests: number, now: LocalInstant): void {
    this.#workOff(now);
    this.#owed += requests;
  }

  /** Gives back requests that were charged and not made. */
  giveBack(requests: number, now: LocalInstant): void {
    this.#workOff(now);
    this.#owed = Math.max(0, this.#owed - requests);
  }

  /**
   * When each of these first views may be read, if all are read in this order and the allowance stays; `undefined` where that is never.
   * @param costs requests of each, more than 0
   */
  turns(costs: readonly number[], now: LocalInstant): (LocalInstant | undefined)[] {
    this.#workOff(now);
    const { ratePerS, atOnce, next } = this.#allowance;
    let owed = this.#owed;
    let soonestMs = 0;
    return costs.map((cost) => {
      owed += cost;
      const nowMs = worksOffMs(owed - Math.max(atOnce, cost), ratePerS);
      let turnMs = nowMs;
      if (next) {
        const inMs = Math.max(0, msBetween(now, next.at));
        const left = owed - (ratePerS * inMs) / 1000;
        turnMs = Math.min(nowMs, inMs + worksOffMs(left - Math.max(next.atOnce, cost), next.ratePerS));
      }
      soonestMs = Math.max(soonestMs, turnMs);
      return Number.isFinite(soonestMs) ? addMs(now, Math.ceil(soonestMs)) : undefined;
    });
  }

  #workOff(now: LocalInstant): void {
    const ms = msBetween(this.#at, now);
    if (ms > 0) this.#owed = Math.max(0, this.#owed - (this.#allowance.ratePerS * ms) / 1000);
    this.#at = now;
  }
}

function worksOffMs(requests: number, ratePerS: number): number {
  return requests <= ROUNDING ? 0 : (requests / ratePerS) * 1000;
}

import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Ledger, Spending } from '../../ports/ledger.ts';
import type { DemandProfile } from './demand-profile.ts';
import { PaceGate } from './pace-gate.ts';
import { PACE_LIMITS } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';
import { type PacedArea, refreshIntervals } from './refresh-intervals.ts';

/** An area that is refreshed, and its interval. */
interface PacedRefresh extends PacedArea {
  readonly spending: Spending;
  intervalMs: number;
}

/** Keeps refreshes within the allowance: how often each one comes, and whether one may start now. */
export class RefreshPace {
  readonly #ledger: Ledger;
  readonly #profile: DemandProfile;
  readonly #gate = new PaceGate();
  #ratePerS: number | undefined;

  constructor(ledger: Ledger, profile: DemandProfile) {
    this.#ledger = ledger;
    this.#profile = profile;
  }

  /** Requests per second that the allowance permits; `undefined` while the allowance is unknown. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** Takes the current allowance and demand, and sets the interval of each refresh. */
  async follow(refreshes: readonly PacedRefresh[], isWatched: boolean, now: UpstreamInstant): Promise<void> {
    this.#profile.record(now, isWatched);
    const rate = paceRate(await this.#ledger.state(now), this.#profile.expectedSeconds(now));
    this.#ratePerS = rate;
    const intervals = isPace(rate) ? refreshIntervals(refreshes, rate, PACE_LIMITS) : [];
    const defaultMs = rate === undefined ? PACE_LIMITS.minMs : PACE_LIMITS.maxMs;
    for (const [index, refresh] of refreshes.entries()) refresh.intervalMs = intervals[index] ?? defaultMs;
    this.#gate.setPace(rate ?? 0, Math.max(0, ...refreshes.map(({ cost }) => cost)), now);
  }

  /** @returns the number of requests charged, which can be given back; `undefined` where the refresh has to wait */
  pass({ cost, spending }: PacedRefresh, now: UpstreamInstant): number | undefined {
    if (spending === 'first-view' || !isPace(this.#ratePerS)) return this.#gate.charge(cost, now);
    return this.#gate.pass(cost, now) ? cost : undefined;
  }

  /** Gives back requests that were charged and not made. */
  giveBack(requests: number, now: UpstreamInstant): void {
    this.#gate.giveBack(requests, now);
  }
}

/** Where the allowance is unknown or used up, the ledger decides: it grants one probe or none, and gives the reason. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Ledger, Spending } from '../../ports/ledger.ts';
import type { DemandProfile } from './demand-profile.ts';
import { PaceGate } from './pace-gate.ts';
import { PACE_LIMITS } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';
import { type PacedArea, refreshIntervals } from './refresh-intervals.ts';

/** An area that is refreshed, and how often. */
interface PacedRefresh extends PacedArea {
  readonly spending: Spending;
  intervalMs: number;
}

/** Keeps refreshes to what the allowance permits: how often each comes, and whether one may begin now. */
export class RefreshPace {
  readonly #ledger: Ledger;
  readonly #profile: DemandProfile;
  readonly #gate = new PaceGate();
  #ratePerS: number | undefined;

  constructor(ledger: Ledger, profile: DemandProfile) {
    this.#ledger = ledger;
    this.#profile = profile;
  }

  /** Requests a second that the allowance permits; `undefined` where nothing is known of it. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** Learns what is left and whether anybody watches, and gives each refresh its interval. */
  async follow(refreshes: readonly PacedRefresh[], isWatched: boolean, now: UpstreamInstant): Promise<void> {
    this.#profile.record(now, isWatched);
    const rate = paceRate(await this.#ledger.state(now), this.#profile.expectedSeconds(now));
    this.#ratePerS = rate;
    const intervals = isPace(rate) ? refreshIntervals(refreshes, rate, PACE_LIMITS) : [];
    const otherwiseMs = rate === undefined ? PACE_LIMITS.shortestMs : PACE_LIMITS.longestMs;
    for (const [index, refresh] of refreshes.entries()) refresh.intervalMs = intervals[index] ?? otherwiseMs;
    this.#gate.setPace(rate ?? 0, Math.max(0, ...refreshes.map(({ cost }) => cost)), now);
  }

  /** @returns how many requests it was charged, and so how many can be given back; `undefined` where its turn has not come */
  pass({ cost, spending }: PacedRefresh, now: UpstreamInstant): number | undefined {
    if (spending === 'first-view' || !isPace(this.#ratePerS)) return this.#gate.charge(cost, now);
    return this.#gate.pass(cost, now) ? cost : undefined;
  }

  /** Requests that were charged and not made. */
  giveBack(requests: number, now: UpstreamInstant): void {
    this.#gate.giveBack(requests, now);
  }
}

/** Where nothing is known the ledger lets one request out, and where nothing is left none: it says so better than a pause. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

import 'server-only';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { EDGE_MARGIN_MS } from '../../allowance/known-allowance.ts';
import type { Ledger, Spending } from '../../allowance/ledger.ts';
import type { Wait } from '../../upstream/may-request.ts';
import type { DemandProfile } from './demand-profile.ts';
import { fairIntervals, type SharedArea } from './fair-intervals.ts';
import { firstViewPlan } from './first-view-allowance.ts';
import type { FirstViewAllowance } from './first-view-budget.ts';
import { type OperatorShare, operatorShares } from './operator-shares.ts';
import { PaceGate } from './pace-gate.ts';
import { CAUTIOUS_MS, PACE_LIMITS, type PaceLimits, UNPACED } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';
import { ShareCredit } from './share-credit.ts';

/** An area that is refreshed, and its interval. */
interface PacedRefresh extends SharedArea {
  readonly spending: Spending;
  readonly isChanged: boolean;
  intervalMs: number;
}

const UNLIMITED: FirstViewAllowance = {
  ratePerS: Number.POSITIVE_INFINITY,
  atOnce: Number.POSITIVE_INFINITY,
  next: undefined,
};
const NO_SHARE: OperatorShare = { whole: 0, newPlaces: 0, refreshes: 0, scheduled: 0 };

/** Keeps refreshes within the allowance: how often each one comes, and whether one may start now. */
export class RefreshPace {
  readonly #ledger: Ledger;
  readonly #profile: DemandProfile;
  readonly #gate: PaceGate;
  readonly #credit = new ShareCredit();
  readonly #limits: PaceLimits;
  #ratePerS: number | undefined;
  #usedUpUntil: UpstreamInstant | undefined;

  constructor(ledger: Ledger, profile: DemandProfile, limits = PACE_LIMITS) {
    this.#limits = limits;
    this.#gate = new PaceGate();
    this.#ledger = ledger;
    this.#profile = profile;
  }

  /** Requests per second that the allowance permits; `undefined` while the allowance is unknown. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** While the day has nothing left for refreshes: when one request checks that, or when the day ends. */
  get usedUpUntil(): UpstreamInstant | undefined {
    return this.#usedUpUntil;
  }

  /**
   * Takes the current allowance and demand, and sets the interval of each refresh.
   * @param owing of operators with first views that are not worked off yet, how much of what they may use at once that is, 0 to 1
   * @param upstreamNow the same instant as `now`
   * @returns what the first views of each operator may use
   */
  async follow(
    refreshes: readonly PacedRefresh[],
    operators: ReadonlySet<string>,
    owing: ReadonlyMap<string, number>,
    now: LocalInstant,
    upstreamNow: UpstreamInstant,
  ): Promise<ReadonlyMap<string, FirstViewAllowance>> {
    this.#profile.record(upstreamNow, operators.size > 0);
    if (this.#ledger.isUnlimited) {
      for (const each of refreshes) each.intervalMs = each.isChanged ? UNPACED.changedMs : UNPACED.unchangedMs;
      return new Map(Array.from(operators, (operator) => [operator, UNLIMITED]));
    }
    const state = await this.#ledger.state(upstreamNow);
    const expectedS = this.#profile.expectedSeconds(upstreamNow);
    const rate = paceRate(state, expectedS);
    this.#ratePerS = rate;
    this.#usedUpUntil = state.usedUpUntil;
    const shares = operatorShares(rate ?? 0, wantsOf(refreshes, operators, this.#limits), owing);
    this.#setIntervals(refreshes, shares);
    this.#credit.setShares(new Map([...shares].map(([operator, share]) => [operator, share.refreshes])), now);
    // First views are not let through by the gate; it gives less while they are worked off.
    const newPlaces = [...owing.keys()].reduce((sum, operator) => sum + (shares.get(operator)?.newPlaces ?? 0), 0);
    this.#gate.setPace(Math.max(0, (rate ?? 0) - newPlaces), Math.max(0, ...refreshes.map(({ cost }) => cost)), now);

    const allowances = new Map<string, FirstViewAllowance>();
    for (const operator of operators) {
      const plan = firstViewPlan(state, shares.get(operator) ?? NO_SHARE, operators.size, expectedS, upstreamNow);
      const { next } = plan;
      const endsInMs = next && msBetween(upstreamNow, state[next.window].resetsAt) + EDGE_MARGIN_MS;
      allowances.set(operator, {
        ...plan,
        next: next && endsInMs !== undefined ? { ...next, at: addMs(now, endsInMs) } : undefined,
      });
    }
    return allowances;
  }

  /** Why a scheduled refresh has to wait although it is due; `undefined` where `pass` lets it through. */
  wait(cost: number, now: LocalInstant): Wait | undefined {
    if (this.#ledger.isUnlimited || !isPace(this.#ratePerS)) return undefined;
    const until = this.#gate.passesAt(cost, now);
    return until !== undefined && until <= now ? undefined : { kind: 'waits', reason: 'paced', until };
  }

  /** @returns the number of requests charged, which can be given back; `undefined` where the refresh has to wait */
  pass({ cost, spending, views }: PacedRefresh, now: LocalInstant): number | undefined {
    if (this.#ledger.isUnlimited) return 0;
    if (!isPace(this.#ratePerS)) return this.#gate.charge(cost, now);
    if (spending === 'first-view') return 0;
    if (!this.#gate.pass(cost, now)) return undefined;
    this.#credit.charge(views.keys(), cost);
    return cost;
  }

  /** Whether those who look at it have all had their share of the refreshes already, so that others go first. */
  isAhead({ views }: PacedRefresh): boolean {
    return !this.#credit.hasSome(views.keys());
  }

  /** Gives back requests that were charged and not made. */
  giveBack(requests: number, now: LocalInstant): void {
    this.#gate.giveBack(requests, now);
  }

  #setIntervals(refreshes: readonly PacedRefresh[], shares: ReadonlyMap<string, OperatorShare>): void {
    const rate = this.#ratePerS;
    const rates = new Map([...shares].map(([operator, share]) => [operator, share.scheduled]));
    const intervals = isPace(rate) ? fairIntervals(refreshes, rates, this.#limits) : [];
    for (const [index, refresh] of refreshes.entries()) refresh.intervalMs = intervals[index] ?? CAUTIOUS_MS;
  }
}

/** Requests per second that the areas of each operator take at the shortest interval. */
function wantsOf(
  refreshes: readonly SharedArea[],
  operators: ReadonlySet<string>,
  { minMs }: PaceLimits,
): ReadonlyMap<string, number> {
  const wants = new Map([...operators].map((operator) => [operator, 0]));
  for (const { cost, views } of refreshes) {
    const want = (cost * 1000) / minMs;
    for (const operator of views.keys()) wants.set(operator, (wants.get(operator) ?? 0) + want);
  }
  return wants;
}

/** Where the allowance is unknown or used up, the ledger decides: it grants one probe or none, and gives the reason. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

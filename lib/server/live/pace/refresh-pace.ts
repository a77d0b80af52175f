import 'server-only';
import { LAYERS } from '#lib/model/position.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { allowanceFloor } from '../../allowance/allowance-floors.ts';
import type { Ledger, Spending } from '../../allowance/ledger.ts';
import type { Wait } from '../../upstream/may-request.ts';
import { ZONES } from '../plan/zone-claimant.ts';
import type { DemandProfile } from './demand-profile.ts';
import { fairIntervals, type SharedArea } from './fair-intervals.ts';
import { CAUTIOUS_MS, MIN_INTERVAL_MS, UNPACED, ZONE_INTERVAL_MS } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';
import { TokenBucket } from './token-bucket.ts';

/** The part of an operator's share that pays off first views while some are owed. The rest refreshes what is in view. */
const PAY_OFF_FRACTION = 0.6;
/**
 * First views made at once are at most what the operator's share gives in this time. Where that is little, they are two places, as far
 * as these are no more than this part of the operator's day.
 */
const AT_ONCE_S = 120;
const AT_ONCE_MIN = 2 * LAYERS.length;
const AT_ONCE_OF_DAY = 1 / 12;
/** Zones without viewers use this part of the rate: as much as with one operator. */
const ZONES_ALONE = 1 / 2;
/** Refreshes may run ahead of the rate by this many requests, or by a whole refresh where that is more. */
const REFRESH_BURST = 10;

/** An area that is refreshed, and its interval. */
interface PacedRefresh extends SharedArea {
  readonly spending: Spending;
  readonly isChanged: boolean;
  intervalMs: number;
}

/** Terms of first views, the same for each operator. */
export interface FirstViewTerms {
  /** Requests per second with which they are paid off. */
  readonly ratePerS: number;
  /** Requests that may be owed; one place that takes more may be opened while nothing is owed. */
  readonly atOnce: number;
}

/**
 * Keeps requests within the allowance, and shares them. All operators have the same share of the rate. A first view is made at
 * once, and owed by the operator who came there first: a part of the share pays it off. Further first views wait while too much is owed.
 * All zones together share like one operator, and what they use while there are no viewers is set aside for the whole day.
 */
export class RefreshPace {
  readonly #ledger: Ledger;
  readonly #profile: DemandProfile;
  readonly #bucket = new TokenBucket();
  #ratePerS: number | undefined;
  #usedUpUntil: UpstreamInstant | undefined;

  constructor(ledger: Ledger, profile: DemandProfile) {
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
   * @param owing operators who owe first views, and how much of what they may owe that is, up to 1
   * @param upstreamNow the same instant as `now`
   */
  async follow(
    refreshes: readonly PacedRefresh[],
    operators: ReadonlySet<string>,
    owing: ReadonlyMap<string, number>,
    now: LocalInstant,
    upstreamNow: UpstreamInstant,
  ): Promise<FirstViewTerms> {
    this.#profile.record(upstreamNow, operators.size > 0);
    if (this.#ledger.isUnlimited) {
      for (const each of refreshes) each.intervalMs = each.isChanged ? UNPACED.changedMs : UNPACED.unchangedMs;
      return { ratePerS: Number.POSITIVE_INFINITY, atOnce: Number.POSITIVE_INFINITY };
    }
    const state = await this.#ledger.state(upstreamNow);
    const hasZones = refreshes.some(({ views }) => views.has(ZONES));
    const viewedS = this.#profile.expectedSeconds(upstreamNow);
    const unviewedS = hasZones ? msBetween(upstreamNow, nextUtcMidnight(upstreamNow)) / SECOND_MS - viewedS : 0;
    const expectedS = viewedS + ZONES_ALONE * unviewedS;
    const rate = paceRate(state, expectedS);
    this.#ratePerS = rate;
    this.#usedUpUntil = state.usedUpUntil;
    const viewing = new Set([...operators, ...owing.keys()]).size;
    const sharing = Math.max(1, viewing) + (hasZones ? 1 : 0);
    if (!isPace(rate)) {
      for (const refresh of refreshes) refresh.intervalMs = CAUTIOUS_MS;
      this.#bucket.set(0, REFRESH_BURST, now);
      // Until an answer reports what the account has, first views are as slow as everything else.
      return { ratePerS: rate === undefined ? SECOND_MS / CAUTIOUS_MS / sharing : 0, atOnce: 0 };
    }
    const share = rate / sharing;
    const payOffPerS = PAY_OFF_FRACTION * share;
    const isUnviewed = hasZones && viewing === 0;
    const refreshPerS = (isUnviewed ? ZONES_ALONE * rate : rate) - owing.size * payOffPerS;
    // A single new place does not delay what is in view at once: the bucket balances what intervals do not leave.
    const weightOf = (operator: string) => 1 - PAY_OFF_FRACTION * (owing.get(operator) ?? 0);
    const ofIntervals =
      (isUnviewed ? ZONES_ALONE * rate : rate) - payOffPerS * owing.values().reduce((sum, part) => sum + part, 0);
    const intervals = fairIntervals(refreshes, ofIntervals, weightOf, minIntervalMs);
    for (const [index, refresh] of refreshes.entries()) refresh.intervalMs = Math.ceil(intervals[index] as number);
    this.#bucket.set(refreshPerS, REFRESH_BURST, now);
    // All operators may open places in the same minute, and one more may come.
    const ofMinute = spareOfMinute(state.minute.size, rate) / (sharing + 1);
    const ofDay = Math.max(AT_ONCE_S * share, Math.min(AT_ONCE_MIN, AT_ONCE_OF_DAY * share * expectedS));
    return { ratePerS: payOffPerS, atOnce: Math.min(ofDay, ofMinute) };
  }

  /** Why a scheduled refresh has to wait although it is due; `undefined` where `pass` lets it through. */
  wait(cost: number, now: LocalInstant): Wait | undefined {
    if (this.#ledger.isUnlimited || !isPace(this.#ratePerS)) return undefined;
    const until = this.#bucket.availableAt(cost, now);
    return until !== undefined && until <= now ? undefined : { kind: 'waits', reason: 'paced', until };
  }

  /** @returns the number of requests taken, which can be given back; `undefined` where the refresh has to wait */
  pass({ cost, spending }: PacedRefresh, now: LocalInstant): number | undefined {
    if (this.#ledger.isUnlimited || !isPace(this.#ratePerS) || spending === 'first-view') return 0;
    if (this.wait(cost, now)) return undefined;
    this.#bucket.take(cost, now);
    return cost;
  }

  /** Gives back requests that were taken and not made. */
  giveBack(requests: number, now: LocalInstant): void {
    this.#bucket.take(-requests, now);
  }
}

function minIntervalMs({ views }: SharedArea): number {
  return views.size === 1 && views.has(ZONES) ? ZONE_INTERVAL_MS : MIN_INTERVAL_MS;
}

/** Requests of a minute beyond refreshes and reserve. */
function spareOfMinute(size: number | undefined, ratePerS: number): number {
  if (size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, size - allowanceFloor('minute', size, 'first-view') - (ratePerS * MINUTE_MS) / SECOND_MS);
}

/** Where the allowance is unknown or used up, the ledger decides: it grants one probe or none, and gives the reason. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

import 'server-only';
import { LAYERS } from '#lib/model/position.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { allowanceFloor } from '../../allowance/allowance-floors.ts';
import type { Ledger, Spending } from '../../allowance/ledger.ts';
import type { Wait } from '../../upstream/may-request.ts';
import { ZONES } from '../plan/demand-of-all.ts';
import type { DemandProfile } from './demand-profile.ts';
import { fairIntervals, type SharedArea } from './fair-intervals.ts';
import { CAUTIOUS_MS, MIN_INTERVAL_MS, UNPACED, ZONE_INTERVAL_MS } from './pace-limits.ts';
import { paceRate } from './pace-rate.ts';
import { TokenBucket } from './token-bucket.ts';

/** Of an operator's share, while first views are owed. */
const PAY_OFF_FRACTION = 0.6;
/** First views at once take this time of the share, or two places, if these are no more than this part of the day. */
const AT_ONCE_S = 120;
const AT_ONCE_MIN = 2 * LAYERS.length;
const AT_ONCE_OF_DAY = 1 / 12;
/** Zones without viewers use this part of the rate: as much as with one operator. */
const ZONES_ALONE = 1 / 2;
/** Or a whole refresh where that is more. */
const REFRESH_BURST = 10;

interface PacedRefresh extends SharedArea {
  readonly spending: Spending;
  readonly isChanged: boolean;
  intervalMs: number;
}

/** The same for each operator. */
export interface FirstViewTerms {
  /** With which first views are paid off. */
  readonly ratePerS: number;
  /** One place that takes more may be opened while nothing is owed. */
  readonly atOnce: number;
}

/**
 * Operators share requests equally. A first view is made at once, and its operator's share pays it off. All zones together share
 * like one operator, and requests for zones without viewers are set aside for the whole day.
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

  /** `undefined` while the allowance is unknown. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** Of a used-up day: when one request checks that, or the day ends. */
  get usedUpUntil(): UpstreamInstant | undefined {
    return this.#usedUpUntil;
  }

  /** @param owing as a part of what they may owe, up to 1 @param upstreamNow the same instant as `now` */
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
      // Until the allowance is known, first views are as slow as everything else.
      return { ratePerS: rate === undefined ? SECOND_MS / CAUTIOUS_MS / sharing : 0, atOnce: 0 };
    }
    const share = rate / sharing;
    const payOffPerS = PAY_OFF_FRACTION * share;
    const isUnviewed = hasZones && viewing === 0;
    const refreshPerS = (isUnviewed ? ZONES_ALONE * rate : rate) - owing.size * payOffPerS;
    // A single new place does not delay what is in view.
    const weightOf = (operator: string) => 1 - PAY_OFF_FRACTION * (owing.get(operator) ?? 0);
    const ofIntervals =
      (isUnviewed ? ZONES_ALONE * rate : rate) - payOffPerS * owing.values().reduce((sum, part) => sum + part, 0);
    const intervals = fairIntervals(refreshes, ofIntervals, weightOf, minIntervalMs);
    for (const [index, refresh] of refreshes.entries()) refresh.intervalMs = Math.ceil(intervals[index] as number);
    this.#bucket.set(refreshPerS, REFRESH_BURST, now);
    // All operators, and one more, may open places in the same minute.
    const ofMinute = spareOfMinute(state.minute.size, rate) / (sharing + 1);
    const ofDay = Math.max(AT_ONCE_S * share, Math.min(AT_ONCE_MIN, AT_ONCE_OF_DAY * share * expectedS));
    return { ratePerS: payOffPerS, atOnce: Math.min(ofDay, ofMinute) };
  }

  /** `undefined` where `pass` lets the refresh through. */
  wait(cost: number, now: LocalInstant): Wait | undefined {
    if (this.#ledger.isUnlimited || !isPace(this.#ratePerS)) return undefined;
    const until = this.#bucket.availableAt(cost, now);
    return until !== undefined && until <= now ? undefined : { kind: 'waits', reason: 'paced', until };
  }

  /** @returns the requests taken; `undefined` where the refresh has to wait */
  pass({ cost, spending }: PacedRefresh, now: LocalInstant): number | undefined {
    if (this.#ledger.isUnlimited || !isPace(this.#ratePerS) || spending === 'first-view') return 0;
    if (this.wait(cost, now)) return undefined;
    this.#bucket.take(cost, now);
    return cost;
  }

  giveBack(requests: number, now: LocalInstant): void {
    this.#bucket.take(-requests, now);
  }
}

function minIntervalMs({ views }: SharedArea): number {
  return views.size === 1 && views.has(ZONES) ? ZONE_INTERVAL_MS : MIN_INTERVAL_MS;
}

/** Beyond refreshes and reserve. */
function spareOfMinute(size: number | undefined, ratePerS: number): number {
  if (size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, size - allowanceFloor('minute', size, 'first-view') - (ratePerS * MINUTE_MS) / SECOND_MS);
}

/** Otherwise the ledger grants one probe, or none with the reason. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

import 'server-only';
import { LAYERS } from '#lib/model/position.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { AllowanceWindow, Ledger, LedgerState, Spending } from '../../allowance/ledger.ts';
import { allowanceFloor, RESERVE } from '../../allowance/shares.ts';
import type { Wait } from '../../upstream/may-request.ts';
import { ZONES } from '../plan/demand-of-all.ts';
import type { DemandProfile } from './demand-profile.ts';
import { TokenBucket } from './token-bucket.ts';

/** The shortest interval of an area with viewers. The contract states none: receivers report a track about once a second. */
export const MIN_INTERVAL_MS = 1000;

/** The shortest interval of an area that only zones need: receivers record a track every 5 to 10 s. */
export const ZONE_INTERVAL_MS = 5000;

/** The interval while the allowance is unknown, or another server may still send a request. */
const CAUTIOUS_MS = 5000;

/**
 * The intervals without an allowance. `changedMs` is twice as often as receivers report, so two of them are both shown in time.
 * `unchangedMs` shows that the service still answers.
 */
export const UNPACED = { changedMs: 500, unchangedMs: 5000 } as const;

/** The part of an operator's share that pays off first views, while some are owed. */
const PAY_OFF_FRACTION = 0.6;
/** First views may use 120 s of an operator's share at once. A small share may use two places, up to a twelfth of its day. */
const AT_ONCE_S = 120;
const AT_ONCE_MIN = 2 * LAYERS.length;
const AT_ONCE_OF_DAY = 1 / 12;
/** Zones without viewers use this part of the rate: as much as with one operator. */
const ZONES_ALONE = 1 / 2;
/** Refreshes may follow each other at once up to this many requests. A larger refresh still runs whole. */
const REFRESH_BURST = 10;

interface PacedRefresh extends SharedArea {
  readonly spending: Spending;
  readonly isChanged: boolean;
}

/** The terms of first views, the same for each operator. */
export interface FirstViewTerms {
  /** The rate at which first views are paid off. */
  readonly ratePerS: number;
  /** The requests that first views may use at once. A place that needs more may be opened while nothing is owed. */
  readonly atOnce: number;
}

export interface Pace {
  readonly terms: FirstViewTerms;
  /** The interval of each refresh, in the same order. */
  readonly intervalsMs: readonly number[];
}

/**
 * Decides how often each area is refreshed, so that the allowance lasts. Operators share requests equally. A first view
 * is made at once, and its operator's share pays it off. All zones together share like one operator, and requests for
 * zones without viewers are set aside for the whole day. It reserves nothing: the ledger has the last word.
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

  /** The requests a second; `undefined` while the allowance is unknown. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** When one request checks a used-up day, or the day ends; `undefined` where the day has some left. */
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
  ): Promise<Pace> {
    this.#profile.record(upstreamNow, operators.size > 0);
    if (this.#ledger.isUnlimited) {
      return {
        terms: { ratePerS: Number.POSITIVE_INFINITY, atOnce: Number.POSITIVE_INFINITY },
        intervalsMs: refreshes.map(({ isChanged }) => (isChanged ? UNPACED.changedMs : UNPACED.unchangedMs)),
      };
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
      this.#bucket.set(0, REFRESH_BURST, now);
      return {
        // Until the allowance is known, first views are as slow as everything else.
        terms: { ratePerS: rate === undefined ? SECOND_MS / CAUTIOUS_MS / sharing : 0, atOnce: 0 },
        intervalsMs: refreshes.map(() => CAUTIOUS_MS),
      };
    }
    const share = rate / sharing;
    const payOffPerS = PAY_OFF_FRACTION * share;
    const isUnviewed = hasZones && viewing === 0;
    const refreshPerS = (isUnviewed ? ZONES_ALONE * rate : rate) - owing.size * payOffPerS;
    // A single new place does not delay what is in view.
    const weightOf = (operator: string) => 1 - PAY_OFF_FRACTION * (owing.get(operator) ?? 0);
    const ofIntervals =
      (isUnviewed ? ZONES_ALONE * rate : rate) - payOffPerS * owing.values().reduce((sum, part) => sum + part, 0);
    const intervalsMs = fairIntervals(refreshes, ofIntervals, weightOf, minIntervalMs).map(Math.ceil);
    this.#bucket.set(refreshPerS, REFRESH_BURST, now);
    // All operators, and one more, may open places in the same minute.
    const ofMinute = spareOfMinute(state.minute.size, rate) / (sharing + 1);
    const ofDay = Math.max(AT_ONCE_S * share, Math.min(AT_ONCE_MIN, AT_ONCE_OF_DAY * share * expectedS));
    return { terms: { ratePerS: payOffPerS, atOnce: Math.min(ofDay, ofMinute) }, intervalsMs };
  }

  /** Why a refresh has to wait; `undefined` where `pass` lets it through. */
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

/** Requests of a minute beyond refreshes and reserve. */
function spareOfMinute(size: number | undefined, ratePerS: number): number {
  if (size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, size - allowanceFloor('minute', size, 'first-view') - (ratePerS * MINUTE_MS) / SECOND_MS);
}

/** Whether there is a pace. Without one, the ledger grants one probe, or none with the reason. */
function isPace(rate: number | undefined): rate is number {
  return rate !== undefined && rate > 0;
}

/**
 * Requests per second; 0 at the floor, `undefined` while neither allowance is known.
 * @param expectedDemandS until midnight UTC, more than 0
 */
export function paceRate(state: LedgerState, expectedDemandS: number): number | undefined {
  const { minute, day } = state;
  const dayLeft = spare(day);
  const perDay = dayLeft === undefined ? undefined : dayLeft / expectedDemandS;
  const perMinute = minute.size === undefined ? undefined : ((1 - RESERVE.minute) * minute.size) / 60;
  if (perDay === undefined) return perMinute;
  return perMinute === undefined ? perDay : Math.min(perDay, perMinute);
}

/** Requests of the day above the reserve. A new day has its whole size. */
function spare(day: AllowanceWindow): number | undefined {
  const remaining = day.remaining ?? day.size;
  if (remaining === undefined) return undefined;
  return Math.max(0, remaining - day.reserved - allowanceFloor('day', day.size, 'scheduled'));
}

export interface SharedArea {
  /** Requests per refresh, more than 0. */
  readonly cost: number;
  /** Number of views by operator, of one operator at least. */
  readonly views: ReadonlyMap<string, number>;
}

/**
 * Operators have equal shares, each for all areas in view alike; a shared area is refreshed from several shares.
 * Capacity that areas at the shortest interval leave raises all shares.
 *
 * The sum of costs over intervals is the rate, or less where every area is at the shortest interval.
 * @param ratePerS requests per second, at least 0
 * @param weightOf relative share, more than 0
 * @param minMsOf the shortest interval of an area
 */
export function fairIntervals(
  areas: readonly SharedArea[],
  ratePerS: number,
  weightOf: (operator: string) => number,
  minMsOf: (area: SharedArea) => number,
): number[] {
  const requests = new Map<string, number>();
  for (const { cost, views } of areas)
    for (const operator of views.keys()) requests.set(operator, (requests.get(operator) ?? 0) + cost);
  /** Refreshes per request of a share. */
  const speeds = areas.map(({ views }) =>
    views.keys().reduce((sum, operator) => sum + weightOf(operator) / (requests.get(operator) ?? 1), 0),
  );
  const minMs = areas.map(minMsOf);
  /** How much of a share an area takes until it is at its shortest interval. */
  const shareMax = (index: number) => 1000 / (minMs[index] as number) / (speeds[index] as number);
  // The share rises until the first areas reach their shortest interval, then with the rest alone.
  const firstToLast = [...areas.keys()].sort((a, b) => shareMax(a) - shareMax(b));
  let left = ratePerS;
  let spending = areas.reduce((sum, { cost }, index) => sum + cost * (speeds[index] as number), 0);
  let share = 0;
  for (const index of firstToLast) {
    const [cost, speed] = [(areas[index] as SharedArea).cost, speeds[index] as number];
    share = left / spending;
    if (share < shareMax(index)) break;
    left -= (cost * 1000) / (minMs[index] as number);
    spending -= cost * speed;
  }
  return speeds.map((speed, index) => Math.max(minMs[index] as number, 1000 / (share * speed)));
}

import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { refusedUntil } from '#lib/server/allowance/allowance-cooldown.ts';
import { DemandProfile } from '#lib/server/live/pace/demand-profile.ts';
import { PaceGate } from '#lib/server/live/pace/pace-gate.ts';
import { CAUTIOUS_MS, PACE_LIMITS } from '#lib/server/live/pace/pace-limits.ts';
import { paceRate } from '#lib/server/live/pace/pace-rate.ts';
import { jittered, type PacedArea, refreshIntervals } from '#lib/server/live/pace/refresh-intervals.ts';
import type { Attempt, LedgerState, PauseReason, Reservation, Reserved, Spending } from '#lib/server/ports/ledger.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, epochMs, localInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { EventQueue } from './event-queue.ts';
import type { Answer, ModelUpstream } from './model-upstream.ts';
import type { Scenario } from './scenario.ts';
import type { WatchedArea } from './watched-area.ts';

export type IntervalRule = (areas: readonly PacedArea[], ratePerS: number) => number[];

export const squareRootRule: IntervalRule = (areas, ratePerS) => refreshIntervals(areas, ratePerS, PACE_LIMITS);

/** The baseline for the square-root rule: the same rate, equal intervals for all areas. */
export const equalRule: IntervalRule = (areas, ratePerS) => {
  const cost = areas.reduce((sum, area) => sum + area.cost, 0);
  return areas.map(() => Math.max(PACE_LIMITS.minMs, (1000 * cost) / ratePerS));
};

/** While the allowance is unknown: one area at the minimum interval. */
const UNKNOWN_RATE_PER_S = 0.2;
const PLAN_MS = 10_000;
const IDLE_MS = 240_000;
const BUSY_RETRY_MS = 10_000;

/** The ledger of a server alone, or one that it shares with others. */
export interface SpentFrom {
  reserve(requests: number, spending: Spending, now: UpstreamInstant): Reserved | Promise<Reserved>;
  attempted(reservation: Reservation, attempt: Attempt): void | Promise<void>;
  release(reservation: Reservation): void | Promise<void>;
  pauseUntil(until: UpstreamInstant, reason: PauseReason): void | Promise<void>;
  state(now: UpstreamInstant): LedgerState | Promise<LedgerState>;
}

/** What a server lives in. */
export interface SimulatedWorld {
  readonly queue: Pick<EventQueue, 'add'>;
  readonly upstream: Pick<ModelUpstream, 'request'>;
  readonly areas: readonly WatchedArea[];
  readonly scenario: Pick<Scenario, 'seed' | 'clockErrorMs'>;
}

interface Refresh {
  readonly area: WatchedArea;
  readonly spending: Spending;
  /** Requests charged at the gate. */
  readonly charged: number;
  reservation: Reservation;
  /** Requests of the reservation still to be made. */
  granted: number;
  attempts: number;
  pages: number;
  readAt: UpstreamInstant | undefined;
}

/** A server from its start to a crash: the real ledger and pacing rules under a simple scheduler. */
export class SimulatedServer {
  readonly #queue: SimulatedWorld['queue'];
  readonly #upstream: SimulatedWorld['upstream'];
  readonly #areas: readonly WatchedArea[];
  readonly #clockErrorMs: number;
  readonly #rule: IntervalRule;
  readonly #dice: Dice;
  readonly #ledger: SpentFrom;
  readonly #profile: DemandProfile;
  readonly #gate = new PaceGate();
  #isUp = true;
  #isRetired = false;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #wakesAt = Number.POSITIVE_INFINITY;
  #isProbing = false;

  constructor(
    world: SimulatedWorld,
    rule: IntervalRule,
    { ledger, profile }: { readonly ledger: SpentFrom; readonly profile: readonly number[] | undefined },
    startedAt: number,
  ) {
    this.#queue = world.queue;
    this.#upstream = world.upstream;
    this.#areas = world.areas;
    this.#clockErrorMs = world.scenario.clockErrorMs;
    this.#rule = rule;
    this.#dice = makeDice(world.scenario.seed ^ startedAt);
    this.#ledger = ledger;
    this.#profile = new DemandProfile(profile);
    this.demandChanged(startedAt);
  }

  demandChanged(at: number): void {
    this.#plannedAt = Number.NEGATIVE_INFINITY;
    this.#wake(at);
  }

  /** Ends the server: nothing in flight reaches it any more. @returns its profile of demand */
  crash(): readonly number[] {
    this.#isUp = false;
    return [...this.#profile.saved()];
  }

  /** Another server plans from now on: this one starts nothing more, and what it still reads is not shown. @returns its profile of demand */
  retire(): readonly number[] {
    this.#isRetired = true;
    return [...this.#profile.saved()];
  }

  /** The upstream's time as the server estimates it. */
  #nowAt(at: number): UpstreamInstant {
    return upstreamInstant(at + this.#clockErrorMs);
  }

  #wake(at: number): void {
    if (at >= this.#wakesAt) return;
    this.#wakesAt = at;
    this.#queue.add(at, (then) => {
      // Replaced by an earlier wake-up.
      if (!this.#isUp || this.#isRetired || at !== this.#wakesAt) return;
      this.#wakesAt = Number.POSITIVE_INFINITY;
      return this.#runGeneration(then);
    });
  }

  async #runGeneration(at: number): Promise<void> {
    const now = this.#nowAt(at);
    const watched = this.#areas.filter(({ viewers }) => viewers > 0);
    this.#profile.record(now, watched.length > 0);
    if (watched.length === 0) {
      this.#wake(at + IDLE_MS);
      return;
    }
    if (at - this.#plannedAt >= PLAN_MS) await this.#plan(watched, at);
    const due = watched.filter((area) => !area.isRefreshing && area.dueAt <= at);
    due.sort((a, b) => Number(b.isNew) - Number(a.isNew) || a.dueAt - b.dueAt);
    for (const area of due) {
      if (area.isNew) {
        await this.#start(area, 'first-view', at);
      } else if (this.#gate.pass(area.cost, localInstant(at))) {
        await this.#start(area, 'scheduled', at);
      } else {
        // All others wait too: otherwise an expensive area would have to wait until no cheap one is due.
        const passesAt = this.#gate.passesAt(area.cost, localInstant(at));
        this.#wake(passesAt ? Math.max(at + 1, epochMs(passesAt)) : Number.POSITIVE_INFINITY);
        break;
      }
    }
    // The rate changes slowly, except at the end of the day.
    const replanMs = Math.min(IDLE_MS, Math.max(PLAN_MS, msBetween(now, nextUtcMidnight(now)) / 20));
    let next = at + replanMs;
    for (const area of watched) if (!area.isRefreshing && area.dueAt > at) next = Math.min(next, area.dueAt);
    this.#wake(Math.ceil(next));
  }

  async #plan(watched: readonly WatchedArea[], at: number): Promise<void> {
    const now = this.#nowAt(at);
    this.#plannedAt = at;
    const rate = paceRate(await this.#ledger.state(now), this.#profile.expectedSeconds(now)) ?? UNKNOWN_RATE_PER_S;
    const intervals = this.#rule(watched, rate);
    watched.forEach((area, i) => {
      area.intervalMs = intervals[i]!;
    });
    this.#gate.setPace(rate, Math.max(...watched.map(({ cost }) => cost)), localInstant(at));
  }

  async #start(area: WatchedArea, spending: Spending, at: number): Promise<void> {
    const reservation = await this.#reserve(area, area.cost, spending, at);
    if (!reservation) {
      if (spending === 'scheduled') this.#gate.giveBack(area.cost, localInstant(at));
      return;
    }
    const charged = spending === 'first-view' ? this.#gate.charge(area.cost, localInstant(at)) : area.cost;
    area.startedAt = at;
    area.jitter = jittered(1, () => this.#dice.between(0, 1));
    area.isRefreshing = true;
    this.#request(
      { area, spending, charged, reservation, granted: reservation.requests, attempts: 0, pages: 0, readAt: undefined },
      at,
    );
  }

  async #reserve(
    area: WatchedArea,
    requests: number,
    spending: Spending,
    at: number,
  ): Promise<Reservation | undefined> {
    const reserved = await this.#ledger.reserve(requests, spending, this.#nowAt(at));
    if (reserved.kind === 'granted') return reserved.reservation;
    if (reserved.why === 'probing') this.#isProbing = true;
    const until = reserved.until === undefined ? at + CAUTIOUS_MS : epochMs(reserved.until) - this.#clockErrorMs;
    area.retryAt = Math.max(until, at + 1);
    this.#wake(area.retryAt);
    return undefined;
  }

  #request(refresh: Refresh, at: number): void {
    const sentAt = this.#nowAt(at);
    this.#upstream.request(at, async (answer, receivedAt) => {
      if (!this.#isUp) return;
      const { minuteRemaining, dayRemaining } = answer;
      const attempt = { counted: true, minuteRemaining, dayRemaining, sentAt, receivedAt: this.#nowAt(receivedAt) };
      await this.#ledger.attempted(refresh.reservation, attempt);
      refresh.granted--;
      refresh.attempts++;
      await this.#answered(refresh, answer, receivedAt);
    });
  }

  async #answered(refresh: Refresh, answer: Answer, at: number): Promise<void> {
    const { area, spending } = refresh;
    const now = this.#nowAt(at);
    if (this.#isRetired) {
      // Its pages were granted: the worst that it can do is send them.
      if (answer.status === 200 && refresh.granted > 0) this.#request(refresh, at);
      else await this.#ledger.release(refresh.reservation);
      return;
    }
    if (answer.status === 200) {
      refresh.pages++;
      refresh.readAt ??= answer.readAt;
      if (refresh.pages < area.cost) {
        if (refresh.granted > 0) {
          this.#request(refresh, at);
          return;
        }
        await this.#ledger.release(refresh.reservation);
        const reservation = await this.#reserve(area, 1, spending, at);
        if (reservation) {
          refresh.reservation = reservation;
          refresh.granted = reservation.requests;
          this.#request(refresh, at);
          return;
        }
      } else {
        area.refreshed(refresh.readAt, at);
      }
    } else if (answer.status === 429) {
      const waitMs = answer.retryAfterMs;
      const until = waitMs === undefined ? refusedUntil(now) : addMs(now, waitMs);
      await this.#ledger.pauseUntil(until, 'allowance_used_up');
    } else {
      area.retryAt = at + BUSY_RETRY_MS;
    }
    await this.#ledger.release(refresh.reservation);
    this.#gate.giveBack(Math.max(0, refresh.charged - refresh.attempts), localInstant(at));
    area.isRefreshing = false;
    if (this.#isProbing) for (const each of this.#areas) each.retryAt = Math.min(each.retryAt, at);
    this.#isProbing = false;
    this.#wake(at);
  }
}

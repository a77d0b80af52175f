import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type {
  AllowanceWindow,
  Attempt,
  LedgerState,
  Refused,
  Reservation,
  Reserved,
  Spending,
} from '../ports/ledger.ts';
import { allowanceFloor, historyShare } from './allowance-floors.ts';
import { EDGE_MARGIN_MS, KnownAllowance, type SavedAllowance } from './known-allowance.ts';

/** The state that survives a restart; its keys are the file's. */
export interface SavedLedger {
  readonly minute?: SavedAllowance | undefined;
  readonly day?: SavedAllowance | undefined;
  /** Start of the UTC day that the two counts belong to. */
  readonly dayStartsAt: UpstreamInstant;
  readonly spentToday: number;
  readonly spentOnHistoryToday: number;
  /** Granted, but neither attempted nor released: a process that reads this cannot know whether they were sent. */
  readonly open: Requests;
  /** Left open by a crash and counted as spent since, but not yet as possibly sent after the end of a window. */
  readonly lost: Requests;
  /** Time of the latest event. */
  readonly asOf: UpstreamInstant;
  readonly pausedUntil?: UpstreamInstant | undefined;
  readonly nextReservationId: number;
}

interface Requests {
  readonly requests: number;
  readonly onHistory: number;
}

interface OpenReservation {
  readonly spending: Spending;
  readonly reservedAt: UpstreamInstant;
  left: number;
}

const NONE: Requests = { requests: 0, onHistory: 0 };
const PROBING: Refused = { kind: 'refused', why: 'probing', until: undefined };

/** Far longer than any reservation is used: what a crash left open before that did not count in the current windows. */
const RESERVATION_LIFE_MS = 600_000;

/**
 * The rules of the account's two allowances, learnt from the response headers alone. Has no clock and never waits. When the
 * day is used up, every caller gets the same `until`: callers add their own jitter.
 */
export class AllowanceLedger {
  readonly #minute: KnownAllowance;
  readonly #day: KnownAllowance;
  readonly #reservations = new Map<number, OpenReservation>();
  /** When counted attempts completed that may overlap with one still in flight. */
  #settledAt: UpstreamInstant[] = [];
  #probeId: number | undefined;
  #nextReservationId: number;
  #dayStartsAt: UpstreamInstant;
  #spentToday: number;
  #spentOnHistoryToday: number;
  #asOf: UpstreamInstant;
  #pausedUntil: UpstreamInstant | undefined;
  /** What a crash left open. It may have counted in the windows of the first call. */
  #lost: Requests;

  /** @param saved whose open requests count as spent */
  constructor(saved?: SavedLedger) {
    const { open, lost } = saved ?? { open: NONE, lost: NONE };
    this.#lost = { requests: lost.requests + open.requests, onHistory: lost.onHistory + open.onHistory };
    this.#dayStartsAt = saved?.dayStartsAt ?? upstreamInstant(0);
    this.#spentToday = (saved?.spentToday ?? 0) + open.requests;
    this.#spentOnHistoryToday = (saved?.spentOnHistoryToday ?? 0) + open.onHistory;
    this.#asOf = saved?.asOf ?? upstreamInstant(0);
    this.#minute = new KnownAllowance('minute', saved?.minute);
    this.#day = new KnownAllowance('day', saved?.day);
    for (const allowance of [this.#minute, this.#day]) allowance.spend(open.requests, this.#asOf);
    this.#pausedUntil = saved?.pausedUntil;
    this.#nextReservationId = saved?.nextReservationId ?? 1;
  }

  /**
   * Grants all of the requests or refuses, with two exceptions: a probe is one request, and no reservation exceeds a whole
   * window. A refusal without `until` ends when requests in flight complete.
   * @throws RangeError where `requests` is not an integer of at least 1
   */
  reserve(requests: number, spending: Spending, now: UpstreamInstant): Reserved {
    if (!Number.isInteger(requests) || requests < 1) throw new RangeError(`cannot reserve ${requests} requests`);
    this.#advanceTo(now);
    if (this.#pausedUntil !== undefined && now < this.#pausedUntil) {
      return { kind: 'refused', why: 'paused', until: this.#pausedUntil };
    }
    const wanted = Math.min(requests, this.#maxAtOnce(spending));
    const short = this.#short('day', wanted, spending, now) ?? this.#overShare(wanted, spending, now);
    const refusal = short ?? this.#short('minute', wanted, spending, now);
    if (refusal) return refusal;

    const unsure = (['minute', 'day'] as const).filter((window) => !this.#suffices(window, wanted, spending));
    if (unsure.length === 0) return { kind: 'granted', reservation: this.#grant(wanted, spending, now) };
    for (const window of unsure) {
      const probesFrom = this.#allowance(window).probesFrom(now);
      if (now < probesFrom) return refused(window, probesFrom);
    }
    if (this.#probeId !== undefined) return PROBING;
    // Requests reserved before the window's end may count after it.
    if (!unsure.every((window) => this.#allowance(window).mayProbe(this.#reserved(), now))) {
      return PROBING;
    }
    const reservation = this.#grant(1, spending, now);
    this.#probeId = reservation.id;
    return { kind: 'granted', reservation };
  }

  /** @throws Error where the reservation was released or has no request left: the caller sends more than was granted */
  attempted({ id }: Reservation, attempt: Attempt): void {
    const open = this.#reservations.get(id);
    if (!open || open.left === 0) throw new Error(`an attempt on reservation ${id}, which has no request left`);
    open.left--;
    if (this.#probeId === id) this.#probeId = undefined;
    this.#advanceTo(attempt.receivedAt);
    const { counted, sentAt, receivedAt } = attempt;
    const overlapping = this.#settledAt.filter((settledAt) => settledAt > sentAt).length;
    this.#minute.settle(attempt.minuteRemaining, attempt, overlapping);
    this.#day.settle(attempt.dayRemaining, attempt, overlapping);
    if (!counted) return;
    this.#settledAt.push(receivedAt);
    this.#forgetSettled();
    if (sentAt < this.#dayStartsAt && receivedAt >= this.#dayStartsAt) return;
    this.#spentToday++;
    if (open.spending === 'history') this.#spentOnHistoryToday++;
  }

  /** Gives back the requests that were not attempted. Does nothing after the first call. */
  release({ id }: Reservation): void {
    this.#reservations.delete(id);
    if (this.#probeId === id) this.#probeId = undefined;
    this.#forgetSettled();
  }

  /** Grants nothing before `until`; never shortened by a later call. */
  pauseUntil(until: UpstreamInstant): void {
    if (this.#pausedUntil === undefined || until > this.#pausedUntil) this.#pausedUntil = until;
  }

  state(now: UpstreamInstant): LedgerState {
    const isToday = dayOf(now) <= this.#dayStartsAt;
    return {
      minute: this.#window('minute', now),
      day: this.#window('day', now),
      spentToday: isToday ? this.#spentToday : 0,
      spentOnHistoryToday: isToday ? this.#spentOnHistoryToday : 0,
      pausedUntil: this.#pausedUntil !== undefined && now < this.#pausedUntil ? this.#pausedUntil : undefined,
    };
  }

  saved(): SavedLedger {
    return {
      minute: this.#minute.saved(),
      day: this.#day.saved(),
      dayStartsAt: this.#dayStartsAt,
      spentToday: this.#spentToday,
      spentOnHistoryToday: this.#spentOnHistoryToday,
      open: { requests: this.#reserved(), onHistory: this.#reserved('history') },
      lost: this.#lost,
      asOf: this.#asOf,
      pausedUntil: this.#pausedUntil,
      nextReservationId: this.#nextReservationId,
    };
  }

  #allowance(window: 'minute' | 'day'): KnownAllowance {
    return window === 'minute' ? this.#minute : this.#day;
  }

  #window(window: 'minute' | 'day', now: UpstreamInstant): AllowanceWindow {
    const allowance = this.#allowance(window);
    return {
      remaining: allowance.remaining(now),
      reserved: this.#reserved(),
      size: allowance.size,
      resetsAt: allowance.resetsAt(now),
    };
  }

  #reserved(spending?: Spending): number {
    let requests = 0;
    for (const open of this.#reservations.values()) {
      if (spending === undefined || open.spending === spending) requests += open.left;
    }
    return requests;
  }

  /** The most requests that can ever be granted at once: more would be refused for ever. */
  #maxAtOnce(spending: Spending): number {
    const spare = (['minute', 'day'] as const).map((window) => {
      const { size } = this.#allowance(window);
      return size === undefined ? Number.POSITIVE_INFINITY : size - allowanceFloor(window, size, spending);
    });
    const share = spending === 'history' ? historyShare(this.#day.size) : Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(...spare, share));
  }

  #suffices(window: 'minute' | 'day', requests: number, spending: Spending, reserved = this.#reserved()): boolean {
    const { min, size } = this.#allowance(window);
    return size !== undefined && min - reserved - requests >= allowanceFloor(window, size, spending);
  }

  /** The refusal where the window is known not to have that many requests. */
  #short(window: 'minute' | 'day', requests: number, spending: Spending, now: UpstreamInstant): Refused | undefined {
    const allowance = this.#allowance(window);
    if (!allowance.isCurrent(now) || this.#suffices(window, requests, spending)) return undefined;
    const isReserved = this.#suffices(window, requests, spending, 0);
    return refused(window, isReserved ? undefined : addMs(allowance.resetsAt(now), EDGE_MARGIN_MS));
  }

  #overShare(requests: number, spending: Spending, now: UpstreamInstant): Refused | undefined {
    if (spending !== 'history') return undefined;
    const left = historyShare(this.#day.size) - this.#spentOnHistoryToday - requests;
    if (left >= this.#reserved('history')) return undefined;
    return refused('share', left >= 0 ? undefined : addMs(nextUtcMidnight(now), EDGE_MARGIN_MS));
  }

  #grant(requests: number, spending: Spending, now: UpstreamInstant): Reservation {
    const reservation: Reservation = { id: this.#nextReservationId++, spending, requests };
    this.#reservations.set(reservation.id, { spending, reservedAt: now, left: requests });
    return reservation;
  }

  /** Starts a new day's counts, and applies what a crash left open to the windows of `now`. */
  #advanceTo(now: UpstreamInstant): void {
    const today = dayOf(now);
    const mayCountNow = msBetween(this.#asOf, now) <= RESERVATION_LIFE_MS;
    if (today > this.#dayStartsAt) {
      this.#spentToday = mayCountNow ? this.#lost.requests : 0;
      this.#spentOnHistoryToday = mayCountNow ? this.#lost.onHistory : 0;
      this.#dayStartsAt = today;
    }
    if (mayCountNow && this.#lost.requests > 0) {
      for (const allowance of [this.#minute, this.#day]) allowance.mayHaveSpent(this.#lost.requests, now);
    }
    this.#lost = NONE;
    if (now > this.#asOf) this.#asOf = now;
  }

  #forgetSettled(): void {
    const open = [...this.#reservations.values()].filter(({ left }) => left > 0);
    const overlaps = (settledAt: UpstreamInstant) => open.some(({ reservedAt }) => settledAt > reservedAt);
    this.#settledAt = this.#settledAt.filter(overlaps);
  }
}

function refused(why: 'minute' | 'day' | 'share', until: UpstreamInstant | undefined): Refused {
  return { kind: 'refused', why, until };
}

/** Start of the UTC day that contains the instant. */
function dayOf(instant: UpstreamInstant): UpstreamInstant {
  return addMs(nextUtcMidnight(instant), -DAY_MS);
}

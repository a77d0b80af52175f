import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { EDGE_MARGIN_MS, KnownAllowance, type SavedAllowance } from './known-allowance.ts';
import type {
  AllowanceWindow,
  Attempt,
  LedgerState,
  PastTerms,
  PastUse,
  PauseReason,
  Refused,
  RefusedKey,
  Reservation,
  Reserved,
  Spending,
} from './ledger.ts';
import { allowanceFloor, historyShare, keptForLive, leftForOperator } from './shares.ts';

/** The ledger as it is stored to survive a restart. The keys are those of the file. */
export interface SavedLedger {
  readonly minute?: SavedAllowance | undefined;
  readonly day?: SavedAllowance | undefined;
  readonly dayStartsAt: UpstreamInstant;
  readonly spentToday: number;
  readonly spentOnHistoryToday: number;
  readonly historyUses: readonly (PastUse & { readonly operator: string })[];
  /** Requests granted but not settled: after a crash it is unknown whether they were sent. */
  readonly open: Requests;
  /** Requests that a crash left open: they count as spent, but not yet as possibly sent after the end of a window. */
  readonly lost: Requests;
  readonly asOf: UpstreamInstant;
  readonly pausedUntil?: UpstreamInstant | undefined;
  readonly pausedFor?: PauseReason | undefined;
  readonly refusedKey?: RefusedKey | undefined;
  readonly nextReservationId: number;
}

interface Requests {
  readonly requests: number;
  readonly onHistory: number;
}

interface DayCounts {
  readonly startsAt: UpstreamInstant;
  readonly spent: number;
  readonly onHistory: number;
  readonly uses: ReadonlyMap<string, PastUse>;
}

const NONE: Requests = { requests: 0, onHistory: 0 };
const PROBING: Refused = { kind: 'refused', why: 'probing', until: undefined };

/** A smaller step back of the clock is waited for. */
const SET_BACK_MS = MINUTE_MS;

/** Reservations that a crash left open before that are not in the current windows. */
export const RESERVATION_LIFE_MS = 600_000;

/**
 * Learns both allowances from response headers. Has no clock and never waits. At a day's end every caller gets the same
 * `until`: callers add jitter.
 */
export class AllowanceLedger {
  readonly #minute: KnownAllowance;
  readonly #day: KnownAllowance;
  readonly #open = new OpenReservations();
  #nextReservationId: number;
  #dayStartsAt: UpstreamInstant;
  #spentToday: number;
  #spentOnHistoryToday: number;
  readonly #historyUses: Map<string, PastUse>;
  /** The counts of the day before, in case the clock was ahead. */
  #dayBefore: DayCounts | undefined;
  #asOf: UpstreamInstant;
  #pausedUntil: UpstreamInstant | undefined;
  #pausedFor: PauseReason;
  #refusedKey: RefusedKey | undefined;
  /** Requests that a crash left open: they may count in the windows of the first call. */
  #lost: Requests;

  constructor(saved?: SavedLedger) {
    const { open, lost } = saved ?? { open: NONE, lost: NONE };
    this.#lost = { requests: lost.requests + open.requests, onHistory: lost.onHistory + open.onHistory };
    this.#dayStartsAt = saved?.dayStartsAt ?? upstreamInstant(0);
    this.#spentToday = (saved?.spentToday ?? 0) + open.requests;
    this.#spentOnHistoryToday = (saved?.spentOnHistoryToday ?? 0) + open.onHistory;
    this.#historyUses = new Map(saved?.historyUses.map(({ operator, ...use }) => [operator, use]));
    this.#asOf = saved?.asOf ?? upstreamInstant(0);
    this.#minute = new KnownAllowance('minute', saved?.minute);
    this.#day = new KnownAllowance('day', saved?.day);
    if (open.requests > 0)
      for (const allowance of [this.#minute, this.#day]) allowance.spend(open.requests, this.#asOf);
    this.#pausedUntil = saved?.pausedUntil;
    this.#pausedFor = saved?.pausedFor ?? 'allowance_used_up';
    this.#refusedKey = saved?.refusedKey;
    this.#nextReservationId = saved?.nextReservationId ?? 1;
  }

  /**
   * Grants all of the requests or none, but a probe is one request, and a used-up day grants one an hour. A refusal
   * without `until` ends when requests in flight complete.
   * @throws RangeError where `requests` is not an integer of at least 1
   */
  reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Reserved {
    if (!Number.isInteger(requests) || requests < 1) throw new RangeError(`cannot reserve ${requests} requests`);
    if (msBetween(now, this.#asOf) > SET_BACK_MS) this.#setBack(now, dayOf(now));
    this.#advanceTo(now);
    if (past) this.#wanted(past.operator, now);
    if (this.#pausedUntil !== undefined && now < this.#pausedUntil) {
      return { kind: 'refused', why: 'paused', until: this.#pausedUntil, reason: this.#pausedFor };
    }
    const wanted = Math.min(requests, this.#maxAtOnce(spending));
    const minuteKept = this.#minuteKept(past, now);
    const dayShort = this.#short('day', wanted, spending, now);
    const overShare = this.#overShare(wanted, spending, past, now);
    if (dayShort?.until !== undefined && !overShare) {
      if (this.#open.probeId !== undefined) return PROBING;
      if (now >= this.#day.checksFrom(now)) return this.#check(spending, now, past, minuteKept);
    }
    const refusal = dayShort ?? overShare ?? this.#short('minute', wanted, spending, now, minuteKept);
    if (refusal) return refusal;

    const unsure = (['minute', 'day'] as const).filter((window) => !this.#suffices(window, wanted, spending));
    if (unsure.length === 0) return { kind: 'granted', reservation: this.#grant(wanted, spending, now, past) };
    for (const window of unsure) {
      const probesFrom = this.#allowance(window).probesFrom(now);
      if (now < probesFrom) return refused(window, probesFrom);
    }
    if (this.#open.probeId !== undefined) return PROBING;
    // Requests reserved before the window's end may count after it.
    if (!unsure.every((window) => this.#allowance(window).mayProbe(this.#open.requests(), now))) {
      return PROBING;
    }
    const reservation = this.#grant(1, spending, now, past);
    this.#open.probeId = reservation.id;
    return { kind: 'granted', reservation };
  }

  /** @throws Error where the reservation has no request left */
  attempted({ id }: Pick<Reservation, 'id'>, attempt: Attempt): void {
    const open = this.#open.take(id);
    this.#advanceTo(attempt.receivedAt);
    const { counted, sentAt, receivedAt } = attempt;
    const overlapping = this.#open.overlapping(sentAt);
    this.#minute.settle(attempt.minuteRemaining, attempt, overlapping);
    this.#day.settle(attempt.dayRemaining, attempt, overlapping);
    if (!counted) return;
    this.#open.settled(receivedAt);
    if (sentAt < this.#dayStartsAt && receivedAt >= this.#dayStartsAt) return;
    this.#spentToday++;
    if (open.spending !== 'history') return;
    this.#spentOnHistoryToday++;
    if (open.operator !== undefined) this.#used(open.operator, receivedAt);
  }

  release({ id }: Pick<Reservation, 'id'>): void {
    this.#open.delete(id);
  }

  pauseUntil(until: UpstreamInstant, reason: PauseReason): void {
    if (this.#pausedUntil !== undefined && until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#pausedFor = reason;
  }

  checkDay(now: UpstreamInstant): void {
    this.#day.checkNow(now);
  }

  keepRefusedKey(refused: RefusedKey | undefined): void {
    this.#refusedKey = refused;
  }

  state(now: UpstreamInstant): LedgerState {
    const isToday = dayOf(now) <= this.#dayStartsAt;
    return {
      minute: this.#window('minute', now),
      day: this.#window('day', now),
      spentToday: isToday ? this.#spentToday : 0,
      spentOnHistoryToday: isToday ? this.#spentOnHistoryToday : 0,
      historyUses: isToday ? this.#usesNow() : new Map(),
      pausedUntil: this.#pausedUntil !== undefined && now < this.#pausedUntil ? this.#pausedUntil : undefined,
      usedUpUntil: this.#short('day', 1, 'scheduled', now)?.until && this.#day.endsOrIsChecked(now),
      refusedKey: this.#refusedKey,
    };
  }

  saved(): SavedLedger {
    return {
      minute: this.#minute.saved(),
      day: this.#day.saved(),
      dayStartsAt: this.#dayStartsAt,
      spentToday: this.#spentToday,
      spentOnHistoryToday: this.#spentOnHistoryToday,
      historyUses: [...this.#historyUses].map(([operator, use]) => ({ operator, ...use })),
      open: { requests: this.#open.requests(), onHistory: this.#open.requests('history') },
      lost: this.#lost,
      asOf: this.#asOf,
      pausedUntil: this.#pausedUntil,
      pausedFor: this.#pausedFor,
      refusedKey: this.#refusedKey,
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
      reserved: this.#open.requests(),
      size: allowance.size,
      resetsAt: allowance.resetsAt(now),
    };
  }

  #maxAtOnce(spending: Spending): number {
    const spare = (['minute', 'day'] as const).map((window) => {
      const { size } = this.#allowance(window);
      return size === undefined ? Number.POSITIVE_INFINITY : size - allowanceFloor(window, size, spending);
    });
    const share = spending === 'history' ? historyShare(this.#day.size) : Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(...spare, share));
  }

  #suffices(
    window: 'minute' | 'day',
    requests: number,
    spending: Spending,
    reserved = this.#open.requests(),
    kept = 0,
  ): boolean {
    const { min, size } = this.#allowance(window);
    return size !== undefined && min - reserved - requests >= allowanceFloor(window, size, spending) + kept;
  }

  #short(
    window: 'minute' | 'day',
    requests: number,
    spending: Spending,
    now: UpstreamInstant,
    kept = 0,
  ): Refused | undefined {
    const allowance = this.#allowance(window);
    if (!allowance.isCurrent(now) || this.#suffices(window, requests, spending, this.#open.requests(), kept))
      return undefined;
    const isReserved = this.#suffices(window, requests, spending, 0, kept);
    if (isReserved) return refused(window, undefined);
    const ends = addMs(allowance.resetsAt(now), EDGE_MARGIN_MS);
    if (window === 'minute' || now >= allowance.checksFrom(now)) return refused(window, ends);
    return refused(window, allowance.endsOrIsChecked(now));
  }

  #check(spending: Spending, now: UpstreamInstant, past: PastTerms | undefined, minuteKept: number): Reserved {
    const short = this.#short('minute', 1, spending, now, minuteKept);
    if (short) return short;
    const reservation = this.#grant(1, spending, now, past);
    this.#open.probeId = reservation.id;
    this.#day.checkGranted(now);
    return { kind: 'granted', reservation };
  }

  #overShare(
    requests: number,
    spending: Spending,
    past: PastTerms | undefined,
    now: UpstreamInstant,
  ): Refused | undefined {
    if (spending !== 'history') return undefined;
    const tomorrow = addMs(nextUtcMidnight(now), EDGE_MARGIN_MS);
    const left = historyShare(this.#day.size) - this.#spentOnHistoryToday;
    const isReserved = left >= requests;
    const free = left - this.#open.requests('history');
    if (free < requests) return refused('share', isReserved ? undefined : tomorrow);
    if (!past || leftForOperator(free, past.operator, this.#usesNow(), past.hasOtherOperators, now) >= requests)
      return undefined;
    return { kind: 'refused', why: 'operator', until: tomorrow };
  }

  #minuteKept(past: PastTerms | undefined, now: UpstreamInstant): number {
    const { size } = this.#minute;
    if (!past || size === undefined) return 0;
    return keptForLive(size, past.livePerS, msBetween(now, this.#minute.resetsAt(now)) / SECOND_MS);
  }

  #grant(requests: number, spending: Spending, now: UpstreamInstant, past: PastTerms | undefined): Reservation {
    const reservation: Reservation = { id: this.#nextReservationId++, spending, requests };
    this.#open.set(reservation.id, { spending, operator: past?.operator, reservedAt: now, left: requests });
    return reservation;
  }

  #wanted(operator: string, now: UpstreamInstant): void {
    this.#historyUses.set(operator, { requests: this.#historyUses.get(operator)?.requests ?? 0, askedAt: now });
  }

  #used(operator: string, at: UpstreamInstant): void {
    const { requests, askedAt } = this.#historyUses.get(operator) ?? { requests: 0, askedAt: at };
    this.#historyUses.set(operator, { requests: requests + 1, askedAt });
  }

  #usesNow(): ReadonlyMap<string, PastUse> {
    const uses = new Map(this.#historyUses);
    for (const [, { operator, left }] of this.#open) {
      const use = operator === undefined ? undefined : uses.get(operator);
      if (operator !== undefined && use) uses.set(operator, { ...use, requests: use.requests + left });
    }
    return uses;
  }

  /** The clock was ahead: its counts move to today, and its pause ends sooner. */
  #setBack(now: UpstreamInstant, today: UpstreamInstant): void {
    const aheadMs = msBetween(now, this.#asOf);
    if (this.#pausedUntil !== undefined) this.#pausedUntil = addMs(this.#pausedUntil, -aheadMs);
    const before = this.#dayBefore;
    if (before?.startsAt === today) {
      this.#spentToday += before.spent;
      this.#spentOnHistoryToday += before.onHistory;
      for (const [operator, use] of before.uses) {
        const requests = use.requests + (this.#historyUses.get(operator)?.requests ?? 0);
        this.#historyUses.set(operator, { ...use, requests });
      }
    }
    this.#dayBefore = undefined;
    this.#dayStartsAt = today;
    for (const allowance of [this.#minute, this.#day]) allowance.setBack(now, aheadMs);
    this.#asOf = now;
  }

  #advanceTo(now: UpstreamInstant): void {
    const today = dayOf(now);
    const mayCountNow = msBetween(this.#asOf, now) <= RESERVATION_LIFE_MS;
    if (today > this.#dayStartsAt) {
      this.#dayBefore = {
        startsAt: this.#dayStartsAt,
        spent: this.#spentToday,
        onHistory: this.#spentOnHistoryToday,
        uses: new Map(this.#historyUses),
      };
      this.#spentToday = mayCountNow ? this.#lost.requests : 0;
      this.#spentOnHistoryToday = mayCountNow ? this.#lost.onHistory : 0;
      this.#historyUses.clear();
      this.#dayStartsAt = today;
    }
    if (mayCountNow && this.#lost.requests > 0) {
      for (const allowance of [this.#minute, this.#day]) allowance.mayHaveSpent(this.#lost.requests, now);
    }
    this.#lost = NONE;
    if (now > this.#asOf) this.#asOf = now;
  }
}

function refused(why: 'minute' | 'day' | 'share', until: UpstreamInstant | undefined): Refused {
  return { kind: 'refused', why, until };
}

function dayOf(instant: UpstreamInstant): UpstreamInstant {
  return addMs(nextUtcMidnight(instant), -DAY_MS);
}

interface OpenReservation {
  readonly spending: Spending;
  readonly operator?: string | undefined;
  readonly reservedAt: UpstreamInstant;
  readonly left: number;
}

/** Reservations with requests that are not settled, and the times of settled ones that may overlap with them. */
class OpenReservations {
  probeId: number | undefined;
  readonly #byId = new Map<number, OpenReservation>();
  #settledAt: readonly UpstreamInstant[] = [];

  [Symbol.iterator](): IterableIterator<[number, OpenReservation]> {
    return this.#byId.entries();
  }

  set(id: number, open: OpenReservation): void {
    this.#byId.set(id, open);
  }

  delete(id: number): void {
    this.#byId.delete(id);
    if (this.probeId === id) this.probeId = undefined;
    this.#forgetSettled();
  }

  requests(spending?: Spending): number {
    let requests = 0;
    for (const open of this.#byId.values()) {
      if (spending === undefined || open.spending === spending) requests += open.left;
    }
    return requests;
  }

  /** @throws Error where none is left */
  take(id: number): OpenReservation {
    const open = this.#byId.get(id);
    if (!open || open.left === 0) throw new Error(`an attempt on reservation ${id}, which has no request left`);
    this.#byId.set(id, { ...open, left: open.left - 1 });
    if (this.probeId === id) this.probeId = undefined;
    return open;
  }

  settled(at: UpstreamInstant): void {
    this.#settledAt = [...this.#settledAt, at];
    this.#forgetSettled();
  }

  /** Counted attempts that completed since then. */
  overlapping(sentAt: UpstreamInstant): number {
    return this.#settledAt.filter((settledAt) => settledAt > sentAt).length;
  }

  #forgetSettled(): void {
    const open = [...this.#byId.values()].filter(({ left }) => left > 0);
    const overlaps = (settledAt: UpstreamInstant) => open.some(({ reservedAt }) => settledAt > reservedAt);
    this.#settledAt = this.#settledAt.filter(overlaps);
  }
}

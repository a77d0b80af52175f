import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
import type { Reservation, Spending } from './ledger.ts';
import type { ModelAccount } from './model-account.fixture.ts';

export interface Exchange {
  readonly pauseMs: number;
  readonly thereMs: number;
  readonly backMs: number;
  /** `silent`: counted, but not answered. `lost`: never arrives. `denied`: 401 or 403, which costs nothing. */
  readonly end: 'answered' | 'silent' | 'lost' | 'denied';
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly kind: 'arrive' | 'other';
  readonly run: () => void;
}

/** Simulates a consumer and the account: events in order of true time. */
export class ModelConsumer {
  nowMs: number;
  ledger: AllowanceLedger;
  refused = 0;
  sent = 0;
  counted = 0;
  readonly #account: ModelAccount;
  readonly #clockErrorMs: number;
  #events: Event[] = [];
  #order = 0;

  constructor(account: ModelAccount, startMs: number, clockErrorMs: number) {
    this.#account = account;
    this.#clockErrorMs = clockErrorMs;
    this.nowMs = startMs;
    this.ledger = new AllowanceLedger();
  }

  get now(): UpstreamInstant {
    return upstreamInstant(this.nowMs + this.#clockErrorMs);
  }

  /** @returns the number granted */
  request(spending: Spending, exchanges: readonly Exchange[]): number {
    const reserved = this.ledger.reserve(exchanges.length, spending, this.now);
    if (reserved.kind === 'refused') return 0;
    this.#send(reserved.reservation, exchanges.slice(0, reserved.reservation.requests));
    return reserved.reservation.requests;
  }

  pass(ms: number): void {
    this.#runUntil(this.nowMs + ms);
  }

  settle(): void {
    while (this.#events.length > 0) this.#runUntil(Math.max(...this.#events.map(({ atMs }) => atMs)));
  }

  /** Requests in flight arrive now or never. */
  crash(arrives: boolean): void {
    const underWay = this.#events.filter(({ kind }) => kind === 'arrive');
    this.#events = [];
    if (arrives) for (const { run } of underWay) run();
    this.#events = [];
    this.ledger = new AllowanceLedger(JSON.parse(JSON.stringify(this.ledger.saved())) as SavedLedger);
  }

  #send(reservation: Reservation, [exchange, ...rest]: readonly Exchange[]): void {
    if (!exchange) {
      this.ledger.release(reservation);
      return;
    }
    const { pauseMs, thereMs, backMs, end } = exchange;
    this.#at(pauseMs, 'other', () => {
      const sentAt = this.now;
      this.sent++;
      const settle = (afterMs: number, reported: { minute?: number; day?: number }, counted: boolean) =>
        this.#at(afterMs, 'other', () => {
          this.ledger.attempted(reservation, {
            counted,
            minuteRemaining: reported.minute,
            dayRemaining: reported.day,
            sentAt,
            receivedAt: this.now,
          });
          this.#send(reservation, rest);
        });
      if (end === 'lost') return settle(thereMs + backMs, {}, true);
      this.#at(thereMs, 'arrive', () => {
        if (end === 'denied') return settle(backMs, {}, false);
        const remaining = this.#account.take(this.nowMs);
        if (remaining) this.counted++;
        else this.refused++;
        settle(backMs, end === 'silent' ? {} : (remaining ?? this.#account.remaining(this.nowMs)), true);
      });
    });
  }

  #at(afterMs: number, kind: Event['kind'], run: () => void): void {
    this.#events.push({ atMs: this.nowMs + afterMs, order: this.#order++, kind, run });
  }

  #runUntil(endMs: number): void {
    for (;;) {
      const next = this.#events
        .filter(({ atMs }) => atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (!next) break;
      this.#events.splice(this.#events.indexOf(next), 1);
      this.nowMs = next.atMs;
      next.run();
    }
    this.nowMs = endMs;
  }
}

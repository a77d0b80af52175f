import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Reservation, Spending } from '../ports/ledger.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
import type { ModelAccount } from './model-account.fixture.ts';

/** How one request goes: on its way there, counted or not, on its way back or lost. */
export interface Exchange {
  readonly pauseMs: number;
  readonly thereMs: number;
  readonly backMs: number;
  /** `silent`: counted, but no answer comes. `lost`: it never arrives. `denied`: a 401 or 403, which costs nothing. */
  readonly end: 'answered' | 'silent' | 'lost' | 'denied';
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly kind: 'arrive' | 'other';
  readonly run: () => void;
}

/** A consumer that asks its ledger before every request, in one world with the account: events in the order of true time. */
export class ModelConsumer {
  nowMs: number;
  ledger: AllowanceLedger;
  /** Requests of ours that the account had no allowance for. */
  refused = 0;
  sent = 0;
  counted = 0;
  readonly #account: ModelAccount;
  /** How far our idea of the upstream's clock is off. */
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

  /** Asks for a grant and, where it is given, makes its requests one after the other. @returns what was granted */
  ask(spending: Spending, exchanges: readonly Exchange[]): number {
    const reserved = this.ledger.reserve(exchanges.length, spending, this.now);
    if (reserved.kind === 'refused') return 0;
    this.#send(reserved.grant, exchanges.slice(0, reserved.grant.requests));
    return reserved.grant.requests;
  }

  pass(ms: number): void {
    this.#runUntil(this.nowMs + ms);
  }

  /** Until nothing is under way. */
  settle(): void {
    while (this.#events.length > 0) this.#runUntil(Math.max(...this.#events.map(({ atMs }) => atMs)));
  }

  /** The process ends at once and another begins; what was under way arrives now or never. */
  crash(arrives: boolean): void {
    const underWay = this.#events.filter(({ kind }) => kind === 'arrive');
    this.#events = [];
    if (arrives) for (const { run } of underWay) run();
    this.#events = [];
    this.ledger = new AllowanceLedger(JSON.parse(JSON.stringify(this.ledger.saved())) as SavedLedger);
  }

  #send(grant: Reservation, [exchange, ...rest]: readonly Exchange[]): void {
    if (!exchange) {
      this.ledger.release(grant);
      return;
    }
    const { pauseMs, thereMs, backMs, end } = exchange;
    this.#at(pauseMs, 'other', () => {
      const sentAt = this.now;
      this.sent++;
      const settle = (afterMs: number, told: { minute?: number; day?: number }, counted: boolean) =>
        this.#at(afterMs, 'other', () => {
          this.ledger.attempted(grant, {
            counted,
            minuteRemaining: told.minute,
            dayRemaining: told.day,
            sentAt,
            receivedAt: this.now,
          });
          this.#send(grant, rest);
        });
      if (end === 'lost') return settle(thereMs + backMs, {}, true);
      this.#at(thereMs, 'arrive', () => {
        if (end === 'denied') return settle(backMs, {}, false);
        const told = this.#account.take(this.nowMs);
        if (told) this.counted++;
        else this.refused++;
        settle(backMs, end === 'silent' ? {} : (told ?? this.#account.remaining(this.nowMs)), true);
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

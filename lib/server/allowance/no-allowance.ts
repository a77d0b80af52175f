import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Ledger, LedgerState, PauseReason, Reserved, Spending } from './ledger.ts';

/** The ledger of the embedded service alone: elsewhere, an unreported allowance is unknown, not absent. */
export class NoAllowance implements Ledger {
  readonly isUnlimited = true;
  #lastId = 0;
  #paused: { readonly until: UpstreamInstant; readonly reason: PauseReason } | undefined;

  async reserve(requests: number, spending: Spending, now: UpstreamInstant): Promise<Reserved> {
    if (this.#paused && now < this.#paused.until) return { kind: 'refused', why: 'paused', ...this.#paused };
    return { kind: 'granted', reservation: { id: ++this.#lastId, spending, requests } };
  }

  async attempted(): Promise<void> {}

  async release(): Promise<void> {}

  async pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void> {
    if (!this.#paused || until > this.#paused.until) this.#paused = { until, reason };
  }

  async checkDay(): Promise<void> {}

  /** Nothing is kept, since each start of the service has another key. */
  async keepRefusedKey(): Promise<void> {}

  async state(now: UpstreamInstant): Promise<LedgerState> {
    const unknown = { remaining: undefined, reserved: 0, size: undefined };
    return {
      minute: { ...unknown, resetsAt: nextMinute(now) },
      day: { ...unknown, resetsAt: nextUtcMidnight(now) },
      spentToday: 0,
      spentOnHistoryToday: 0,
      historyUses: new Map(),
      pausedUntil: this.#paused && now < this.#paused.until ? this.#paused.until : undefined,
    };
  }

  close(): void {}
}

import 'server-only';
import { msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { RESERVATION_LIFE_MS } from '../allowance/allowance-ledger.ts';
import type { Attempt, Ledger, PastTerms, Refused, Reservation, Spending } from '../allowance/ledger.ts';

/** The reason for a task. The log of its upstream requests names it. */
export interface Cause {
  /** Id of the operator who alone pays for it; `undefined` for work that viewers share. */
  readonly operator?: string | undefined;
  /** Of the one request that it is done for, as in the log. */
  readonly requestId?: string | undefined;
  /** The number of the area that is refreshed, as the log names it, and which refresh of it this is. */
  readonly refresh?: { readonly area: number; readonly number: number };
}

/** A process may be suspended for any time. An older reservation is about to count as spent, so its requests are not sent. */
const USABLE_MS = RESERVATION_LIFE_MS / 2;

/**
 * Pays for one task. The requests it is expected to need are reserved together before the first one, further requests one by
 * one. Not for concurrent use: one request at a time.
 */
export class Budget {
  readonly spending: Spending;
  readonly cause: Cause;
  readonly #ledger: Ledger;
  readonly #expected: number;
  readonly #past: (() => PastTerms) | undefined;
  readonly #reservations: Reservation[] = [];
  #reservedAt = upstreamInstant(0);
  #left = 0;
  #attempts = 0;
  #firstSentAt: UpstreamInstant | undefined;

  /**
   * @param expected requests that the task will probably need, at least 1
   * @param past of `history`: asked at each reservation
   */
  constructor(ledger: Ledger, spending: Spending, expected: number, past?: () => PastTerms, cause: Cause = {}) {
    this.#ledger = ledger;
    this.spending = spending;
    this.#expected = expected;
    this.#past = past;
    this.cause = cause;
  }

  /** Requests made so far. */
  get attempts(): number {
    return this.#attempts;
  }

  /** `undefined` where none was made. */
  get firstSentAt(): UpstreamInstant | undefined {
    return this.#firstSentAt;
  }

  /** Requests to reserve together when none is left. */
  get nextReservation(): number {
    return this.#attempts === 0 ? this.#expected : 1;
  }

  /** Reserves where nothing is left that may be used. @returns `undefined` where one request may be made, otherwise the refusal */
  async ready(now: UpstreamInstant): Promise<Refused | undefined> {
    if (this.#left > 0 && msBetween(this.#reservedAt, now) < USABLE_MS) return undefined;
    if (this.#left > 0) await this.close();
    const reserved = await this.#ledger.reserve(this.nextReservation, this.spending, now, this.#past?.());
    if (reserved.kind === 'refused') return reserved;
    this.#reservations.push(reserved.reservation);
    this.#reservedAt = now;
    this.#left = reserved.reservation.requests;
    return undefined;
  }

  /** Records that the request for which `ready` was called has been made. */
  async attempted(attempt: Attempt): Promise<void> {
    this.#left--;
    this.#attempts++;
    this.#firstSentAt ??= attempt.sentAt;
    await this.#ledger.attempted(this.#reservations.at(-1) as Reservation, attempt);
  }

  /** Releases what was reserved and not used. */
  async close(): Promise<void> {
    for (const reservation of this.#reservations.splice(0)) await this.#ledger.release(reservation);
    this.#left = 0;
  }
}

import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Attempt, Ledger, PastTerms, Refused, Reservation, Spending } from '../ports/ledger.ts';

/** For whom alone something is requested. */
export interface Payer {
  /** Id. */
  readonly operator: string;
  /** Of the request that caused it, as in the log. */
  readonly requestId: string | undefined;
}

/**
 * Pays for one task. The requests it is expected to need are reserved together before the first one, further requests one by
 * one. Not for concurrent use: one request at a time.
 */
export class Budget {
  readonly spending: Spending;
  /** For whom; `undefined` for what viewers share. */
  readonly payer: Payer | undefined;
  readonly #ledger: Ledger;
  readonly #expected: number;
  readonly #past: (() => PastTerms) | undefined;
  readonly #reservations: Reservation[] = [];
  #left = 0;
  #attempts = 0;

  /**
   * @param expected requests that the task will probably need, at least 1
   * @param past of `history`: asked at each reservation
   * @param payer for whom; none for what viewers share
   */
  constructor(ledger: Ledger, spending: Spending, expected: number, past?: () => PastTerms, payer?: Payer) {
    this.#ledger = ledger;
    this.spending = spending;
    this.#expected = expected;
    this.#past = past;
    this.payer = payer;
  }

  /** Requests made so far. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Requests to reserve together when none is left. */
  get nextReservation(): number {
    return this.#attempts === 0 ? this.#expected : 1;
  }

  /** Reserves where nothing is left. @returns `undefined` where one request may be made, otherwise the refusal */
  async ready(now: UpstreamInstant): Promise<Refused | undefined> {
    if (this.#left > 0) return undefined;
    const reserved = await this.#ledger.reserve(this.nextReservation, this.spending, now, this.#past?.());
    if (reserved.kind === 'refused') return reserved;
    this.#reservations.push(reserved.reservation);
    this.#left = reserved.reservation.requests;
    return undefined;
  }

  /** Records that the request for which `ready` was called has been made. */
  async attempted(attempt: Attempt): Promise<void> {
    this.#left--;
    this.#attempts++;
    await this.#ledger.attempted(this.#reservations.at(-1) as Reservation, attempt);
  }

  /** Releases what was reserved and not used. */
  async close(): Promise<void> {
    for (const reservation of this.#reservations.splice(0)) await this.#ledger.release(reservation);
    this.#left = 0;
  }
}

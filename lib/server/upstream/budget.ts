import 'server-only';
import { msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { RESERVATION_LIFE_MS } from '../allowance/allowance-ledger.ts';
import type { Attempt, Ledger, PastTerms, Refused, Reservation, Spending } from '../allowance/ledger.ts';

/** The origin of a task's upstream requests, for the log. */
export interface Cause {
  /** The operator who pays alone; `undefined` for work that viewers share. */
  readonly operator?: string | undefined;
  /** The id of the request, as in the log. */
  readonly requestId?: string | undefined;
  /** Numbers of the area, as in the log, and of its refresh. */
  readonly refresh?: { readonly area: number; readonly number: number };
}

/** After a suspension, an older reservation is about to count as spent. */
const USABLE_MS = RESERVATION_LIFE_MS / 2;

/** Reserves the expected requests together, further ones one by one. It is not for concurrent use. */
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

  /** @param past of `history`: read at each reservation */
  constructor(ledger: Ledger, spending: Spending, expected: number, past?: () => PastTerms, cause: Cause = {}) {
    this.#ledger = ledger;
    this.spending = spending;
    this.#expected = expected;
    this.#past = past;
    this.cause = cause;
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** `undefined` where none was sent. */
  get firstSentAt(): UpstreamInstant | undefined {
    return this.#firstSentAt;
  }

  get nextReservation(): number {
    return this.#attempts === 0 ? this.#expected : 1;
  }

  /** @returns `undefined` where one request may be made, otherwise the refusal */
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

  async attempted(attempt: Attempt): Promise<void> {
    this.#left--;
    this.#attempts++;
    this.#firstSentAt ??= attempt.sentAt;
    await this.#ledger.attempted(this.#reservations.at(-1) as Reservation, attempt);
  }

  async close(): Promise<void> {
    for (const reservation of this.#reservations.splice(0)) await this.#ledger.release(reservation);
    this.#left = 0;
  }
}

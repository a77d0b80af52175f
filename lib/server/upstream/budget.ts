import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Attempt, Ledger, Refused, Reservation, Spending } from '../ports/ledger.ts';

/**
 * What one piece of work may spend: the requests it is expected to need are reserved together before the first, further
 * ones singly. Used by one request at a time.
 */
export class Budget {
  readonly spending: Spending;
  readonly #ledger: Ledger;
  readonly #expected: number;
  readonly #grants: Reservation[] = [];
  #left = 0;
  #attempts = 0;

  /** @param expected requests that the work will most likely take, at least 1 */
  constructor(ledger: Ledger, spending: Spending, expected: number) {
    this.#ledger = ledger;
    this.spending = spending;
    this.#expected = expected;
  }

  /** Requests that were made. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Requests that are reserved together where none is left. */
  get wanted(): number {
    return this.#attempts === 0 ? this.#expected : 1;
  }

  /** Makes sure that one request may be made. `undefined` where it may, else why not. */
  async ready(now: UpstreamInstant): Promise<Refused | undefined> {
    if (this.#left > 0) return undefined;
    const reserved = await this.#ledger.reserve(this.wanted, this.spending, now);
    if (reserved.kind === 'refused') return reserved;
    this.#grants.push(reserved.grant);
    this.#left = reserved.grant.requests;
    return undefined;
  }

  /** Says that the request for which `ready` was asked has been made. */
  async attempted(attempt: Attempt): Promise<void> {
    this.#left--;
    this.#attempts++;
    await this.#ledger.attempted(this.#grants.at(-1) as Reservation, attempt);
  }

  /** Gives back what was reserved and not used. */
  async close(): Promise<void> {
    for (const grant of this.#grants.splice(0)) await this.#ledger.release(grant);
    this.#left = 0;
  }
}

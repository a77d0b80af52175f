import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger } from '../allowance/allowance-ledger.ts';
import type { Attempt, Ledger, LedgerState, Reservation, Reserved, Spending } from '../ports/ledger.ts';
import { LedgerFile } from './ledger-file.ts';

/**
 * The ledger of an app that runs as one process. A reservation is on disk before it is granted, so that after any crash the
 * next process counts every request that was sent.
 */
export class EmbeddedLedger implements Ledger {
  readonly #file: LedgerFile;
  readonly #allowance: AllowanceLedger;

  /**
   * @param file a path, or `:memory:`
   * @throws Error that names the file, where it is damaged, not a ledger, or in use by another process
   */
  constructor(file: string) {
    this.#file = new LedgerFile(file);
    try {
      this.#allowance = new AllowanceLedger(this.#file.read());
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant): Promise<Reserved> {
    const reserved = this.#allowance.reserve(requests, spending, now);
    if (reserved.kind === 'refused') return reserved;
    try {
      this.#file.write(this.#allowance.saved(), true);
    } catch (error) {
      this.#allowance.release(reserved.reservation);
      throw error;
    }
    return reserved;
  }

  async attempted(reservation: Reservation, attempt: Attempt): Promise<void> {
    this.#allowance.attempted(reservation, attempt);
    this.#settled();
  }

  async release(reservation: Reservation): Promise<void> {
    this.#allowance.release(reservation);
    this.#settled();
  }

  async pauseUntil(until: UpstreamInstant): Promise<void> {
    this.#allowance.pauseUntil(until);
    this.#settled();
  }

  async state(now: UpstreamInstant): Promise<LedgerState> {
    return this.#allowance.state(now);
  }

  /** Closes the file. No method may be called afterwards. */
  close(): void {
    this.#file.close();
  }

  /** Losing this write in a power cut is safe: what was settled then counts as spent. */
  #settled(): void {
    this.#file.write(this.#allowance.saved(), false);
  }
}

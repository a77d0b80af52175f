import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger } from '../../upstream/allowance-ledger.ts';
import type { Attempt, Ledger, LedgerState, Reservation, Reserved, Spending } from '../ledger.ts';
import { LedgerFile } from './ledger-file.ts';

/**
 * The ledger of an app that runs as one process. A reservation is on disk before it is granted, so that whatever ends the
 * process, nothing was sent that the next one does not count.
 */
export class EmbeddedLedger implements Ledger {
  readonly #file: LedgerFile;
  readonly #allowance: AllowanceLedger;

  /**
   * @param file where it is kept, or `:memory:`
   * @throws Error that names the file, where it is damaged, something else, or held by another process
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
      this.#allowance.release(reserved.grant);
      throw error;
    }
    return reserved;
  }

  async attempted(grant: Reservation, attempt: Attempt): Promise<void> {
    this.#allowance.attempted(grant, attempt);
    this.#settled();
  }

  async release(grant: Reservation): Promise<void> {
    this.#allowance.release(grant);
    this.#settled();
  }

  async pauseUntil(until: UpstreamInstant): Promise<void> {
    this.#allowance.pauseUntil(until);
    this.#settled();
  }

  async state(now: UpstreamInstant): Promise<LedgerState> {
    return this.#allowance.state(now);
  }

  /** Lets go of the file. Nothing may be called afterwards. */
  close(): void {
    this.#file.close();
  }

  /** Losing this to a power cut is safe: what is settled then counts as spent. */
  #settled(): void {
    this.#file.write(this.#allowance.saved(), false);
  }
}

import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
import { LatestWrite } from './latest-write.ts';
import type {
  Attempt,
  Ledger,
  LedgerState,
  PastTerms,
  PauseReason,
  RefusedKey,
  Reservation,
  Reserved,
  Spending,
} from './ledger.ts';

/** Whether a state is on disk, or why not: the disk, or a database that cannot be reached or has another writer. */
export type Written = 'kept' | 'storage' | 'database';

/**
 * The ledger of the one process that sends requests. A reservation is on disk before it is granted, so that after any crash the next process
 * counts every request that was sent. While it cannot be written, nothing is granted.
 */
export class StoredLedger implements Ledger {
  readonly isUnlimited = false;
  readonly #allowance: AllowanceLedger;
  readonly #latest: LatestWrite<Written>;

  /**
   * @param saved the state written last; `undefined` for a new account
   * @param write puts the state on disk
   */
  constructor(saved: SavedLedger | undefined, write: (saved: SavedLedger) => Promise<Written>) {
    this.#allowance = new AllowanceLedger(saved);
    this.#latest = new LatestWrite(() => write(this.#allowance.saved()));
  }

  /** A ledger that ends with the process. */
  static inMemory(): StoredLedger {
    return new StoredLedger(undefined, async () => 'kept');
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved> {
    const reserved = this.#allowance.reserve(requests, spending, now, past);
    if (reserved.kind === 'refused') return reserved;
    let written: Written = 'storage';
    try {
      written = await this.#latest.written();
    } finally {
      if (written !== 'kept') this.#allowance.release(reserved.reservation);
    }
    return written === 'kept' ? reserved : { kind: 'refused', why: written, until: undefined };
  }

  async attempted(reservation: Reservation, attempt: Attempt): Promise<void> {
    this.#allowance.attempted(reservation, attempt);
    this.#settled();
  }

  async release(reservation: Reservation): Promise<void> {
    this.#allowance.release(reservation);
    this.#settled();
  }

  async pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void> {
    this.#allowance.pauseUntil(until, reason);
    this.#settled();
  }

  async checkDay(now: UpstreamInstant): Promise<void> {
    this.#allowance.checkDay(now);
    this.#settled();
  }

  async keepRefusedKey(refused: RefusedKey | undefined): Promise<void> {
    this.#allowance.keepRefusedKey(refused);
    this.#settled();
  }

  async state(now: UpstreamInstant): Promise<LedgerState> {
    return this.#allowance.state(now);
  }

  /** Waits for what is being written. */
  close(): Promise<void> {
    return this.#latest.ended();
  }

  /** No caller waits for this write: if it is lost, the settled requests count as spent. */
  #settled(): void {
    void this.#latest.written();
  }
}

import 'server-only';
import { Coalesced } from '#lib/async/coalesced.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
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

export type Written = 'kept' | 'storage' | 'database';

/** A reservation is on disk before it is granted, so the process after a crash counts every sent request. */
export class StoredLedger implements Ledger {
  readonly isUnlimited = false;
  readonly #allowance: AllowanceLedger;
  readonly #writes: Coalesced<Written>;

  /** @param saved `undefined` for a new account */
  constructor(saved: SavedLedger | undefined, write: (saved: SavedLedger) => Promise<Written>) {
    this.#allowance = new AllowanceLedger(saved);
    this.#writes = new Coalesced(() => write(this.#allowance.saved()));
  }

  static inMemory(): StoredLedger {
    return new StoredLedger(undefined, async () => 'kept');
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved> {
    const reserved = this.#allowance.reserve(requests, spending, now, past);
    if (reserved.kind === 'refused') return reserved;
    let written: Written = 'storage';
    try {
      written = await this.#writes.run();
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

  /** Waits for the write under way. */
  close(): Promise<void> {
    return this.#writes.idle();
  }

  /** If the write fails, settled requests count as spent. `Written` says so: nothing is left to handle. */
  #settled(): void {
    this.#writes.run().catch(() => undefined);
  }
}

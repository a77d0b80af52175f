import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceLedger } from '../allowance/allowance-ledger.ts';
import type {
  Attempt,
  Ledger,
  LedgerState,
  PastTerms,
  PauseReason,
  Refused,
  RefusedKey,
  Reservation,
  Reserved,
  Spending,
} from '../ports/ledger.ts';
import { StoreHealth } from '../stores/store-health.ts';
import { LedgerFile } from './ledger-file.ts';

const NOT_KEPT: Refused = { kind: 'refused', why: 'storage', until: undefined };

/**
 * The ledger of an app that runs as one process. A reservation is on disk before it is granted, so that after any crash the
 * next process counts every request that was sent; while it cannot be written, nothing is granted.
 */
export class EmbeddedLedger implements Ledger {
  readonly isUnlimited = false;
  readonly #file: LedgerFile;
  readonly #allowance: AllowanceLedger;
  readonly #health: StoreHealth;

  /**
   * @param file a path, or `:memory:`
   * @param health learns whether it can be written
   * @throws Error that names the file, where it is damaged, not a ledger, or in use by another process
   */
  constructor(file: string, health = new StoreHealth()) {
    this.#file = new LedgerFile(file);
    this.#health = health;
    try {
      this.#allowance = new AllowanceLedger(this.#file.read());
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved> {
    const reserved = this.#allowance.reserve(requests, spending, now, past);
    if (reserved.kind === 'refused') return reserved;
    let isKept = false;
    try {
      isKept = this.#written(true);
    } finally {
      if (!isKept) this.#allowance.release(reserved.reservation);
    }
    return isKept ? reserved : NOT_KEPT;
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

  /** Closes the file. No method may be called afterwards. */
  close(): void {
    this.#file.close();
  }

  /** Losing this write is safe: what was settled then counts as spent. */
  #settled(): void {
    this.#written(false);
  }

  #written(throughPowerCuts: boolean): boolean {
    return this.#health.written('ledger', () => this.#file.write(this.#allowance.saved(), throughPowerCuts));
  }
}

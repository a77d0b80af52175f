import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Part } from '../supervision/supervisor.ts';
import { AllowanceLedger } from './allowance-ledger.ts';
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
import type { StoredLedger } from './stored-ledger.ts';
import { openLedger, readLedgerState } from './stored-ledger.ts';

const NOT_THE_WRITER: Reserved = { kind: 'refused', why: 'database', until: undefined };
const READ_EVERY_MS = SECOND_MS;

/** Grants requests only while this server is the writer. */
export class WriterLedger implements Ledger {
  readonly isUnlimited = false;
  readonly #database: Database;
  readonly #account: string;
  readonly #part: Part;
  #own: StoredLedger | undefined;
  /** Each ledger numbers its reservations from the start, so ids alone are ambiguous. */
  readonly #grantedBy = new WeakMap<Reservation, StoredLedger>();
  #read: { readonly atMs: number; readonly state: Promise<LedgerState> } | undefined;

  constructor(database: Database, account: string, part: Part) {
    this.#part = part;
    this.#database = database;
    this.#account = account;
  }

  /** @throws DatabaseFailure */
  async open(fence: number): Promise<void> {
    this.#own = await openLedger(this.#database, this.#account, this.#part, fence);
  }

  async resign(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await own?.close();
    this.#part.rest();
  }

  async reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved> {
    const own = this.#own;
    const reserved = await own?.reserve(requests, spending, now, past);
    if (own && reserved?.kind === 'granted') this.#grantedBy.set(reserved.reservation, own);
    return reserved ?? NOT_THE_WRITER;
  }

  async attempted(reservation: Reservation, attempt: Attempt): Promise<void> {
    await this.#ownOf(reservation)?.attempted(reservation, attempt);
  }

  async release(reservation: Reservation): Promise<void> {
    await this.#ownOf(reservation)?.release(reservation);
  }

  async pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void> {
    await this.#own?.pauseUntil(until, reason);
  }

  async checkDay(now: UpstreamInstant): Promise<void> {
    await this.#own?.checkDay(now);
  }

  async keepRefusedKey(refused: RefusedKey | undefined): Promise<void> {
    await this.#own?.keepRefusedKey(refused);
  }

  /** The state; while the database is unreachable, the last one that was read. */
  async state(now: UpstreamInstant): Promise<LedgerState> {
    if (this.#own) return await this.#own.state(now);
    const nowMs = performance.now();
    const before = this.#read;
    if (before && nowMs - before.atMs < READ_EVERY_MS) return await before.state;
    const state = readLedgerState(this.#database, this.#account, now).catch((error: unknown) => {
      if (!(error instanceof DatabaseFailure)) throw error;
      return before?.state ?? new AllowanceLedger().state(now);
    });
    this.#read = { atMs: nowMs, state };
    return await state;
  }

  async close(): Promise<void> {
    await this.resign();
  }

  /** Grants of this server's earlier ledgers count as spent. */
  #ownOf(reservation: Reservation): StoredLedger | undefined {
    const granted = this.#grantedBy.get(reservation);
    return granted === this.#own ? granted : undefined;
  }
}

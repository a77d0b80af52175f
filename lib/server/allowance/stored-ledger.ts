import 'server-only';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Coalesced } from '#lib/async/coalesced.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { LeaseLost, requireLease } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
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

const instantSchema = z.number().transform(upstreamInstant);
const countSchema = z.int().nonnegative();

const requestsSchema = z.object({ requests: countSchema, onHistory: countSchema });

const savedAllowanceSchema = z.object({
  startsAt: instantSchema,
  begunAt: instantSchema,
  reported: countSchema,
  reportedToSentAt: instantSchema,
  reportedAt: instantSchema,
  remaining: countSchema,
  size: countSchema,
  isSizePartial: z.boolean().optional(),
  recheckAt: instantSchema,
  check: z.object({ from: instantSchema, grantedAt: instantSchema.optional() }).optional(),
  unconfirmed: z.object({ lastAt: instantSchema, requests: countSchema }),
});

const savedLedgerSchema: z.ZodType<SavedLedger> = z.object({
  minute: savedAllowanceSchema.optional(),
  day: savedAllowanceSchema.optional(),
  dayStartsAt: instantSchema,
  spentToday: countSchema,
  spentOnHistoryToday: countSchema,
  historyUses: z.array(z.object({ operator: z.string(), requests: countSchema, askedAt: instantSchema })).default([]),
  open: requestsSchema,
  lost: requestsSchema,
  asOf: instantSchema,
  pausedUntil: instantSchema.optional(),
  pausedFor: z.enum(['allowance_used_up', 'service_busy', 'service_unreachable']).optional(),
  refusedKey: z.object({ id: z.string(), until: instantSchema }).optional(),
  nextReservationId: z.int().positive(),
});

/** `storage` and `database`: the write failed, on this machine or at the database of all servers. */
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

/**
 * @param fence of the writer's lease: once another server has it, nothing is granted
 * @throws DatabaseFailure, and Error that says what to do where the row is no ledger
 */
export async function openLedger(
  database: Database,
  account: string,
  part: Part,
  fence?: number,
): Promise<StoredLedger> {
  let onDisk = await readRow(database, account);
  const saved = onDisk === undefined ? undefined : readLedger(onDisk, database.where);
  return new StoredLedger(saved, async (saved) => {
    const text = JSON.stringify(saved);
    if (text === onDisk) return 'kept';
    try {
      await database.change(async (query) => {
        if (fence !== undefined) await requireLease(query, database.dialect, fence);
        await query
          .insertInto('ledger')
          .values({ account, saved: text })
          .onConflict((conflict) => conflict.column('account').doUpdateSet({ saved: text }))
          .execute();
      });
      onDisk = text;
      part.worked();
      return 'kept';
    } catch (error) {
      part.failed(error);
      const isElsewhere = error instanceof LeaseLost || (error instanceof DatabaseFailure && error.kind === 'lost');
      return isElsewhere ? 'database' : 'storage';
    }
  });
}

/** @throws as `openLedger` */
export async function readLedgerState(
  database: Pick<Database, 'query' | 'where'>,
  account: string,
  now: UpstreamInstant,
): Promise<LedgerState> {
  const row = await readRow(database, account);
  return new AllowanceLedger(row === undefined ? undefined : readLedger(row, database.where)).state(now);
}

async function readRow(database: Pick<Database, 'query'>, account: string): Promise<string | undefined> {
  const { query } = database;
  const row = await query.selectFrom('ledger').select('saved').where('account', '=', account).executeTakeFirst();
  return row?.saved;
}

function readLedger(text: string, where: string): SavedLedger {
  try {
    return savedLedgerSchema.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `The ledger of the upstream's allowance in ${where} is damaged. Restore a backup, or delete its row to begin a new ledger, which does not know what was spent today until the upstream answers: delete from ledger.`,
    );
  }
}

/** Names the ledger of an upstream. */
export function accountName(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 8);
}

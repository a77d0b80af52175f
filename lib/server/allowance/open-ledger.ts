import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { LeaseLost, requireLease } from '../database/tables/require-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import { AllowanceLedger, type SavedLedger } from './allowance-ledger.ts';
import type { LedgerState } from './ledger.ts';
import { savedLedgerSchema } from './saved-ledger-schema.ts';
import { StoredLedger } from './stored-ledger.ts';

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
export async function readLedgerState(database: Database, account: string, now: UpstreamInstant): Promise<LedgerState> {
  const row = await readRow(database, account);
  return new AllowanceLedger(row === undefined ? undefined : readLedger(row, database.where)).state(now);
}

async function readRow(database: Database, account: string): Promise<string | undefined> {
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

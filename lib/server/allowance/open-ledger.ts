import 'server-only';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { SavedLedger } from './allowance-ledger.ts';
import { KeptLedger } from './kept-ledger.ts';
import { savedLedgerSchema } from './saved-ledger-schema.ts';

/**
 * The ledger of an account, kept in the database.
 * @throws DatabaseFailure, and Error that says what to do where the row is no ledger
 */
export async function openLedger(database: Database, account: string): Promise<KeptLedger> {
  const row = await database.query
    .selectFrom('ledger')
    .select('saved')
    .where('account', '=', account)
    .executeTakeFirst();
  let onDisk = row?.saved;
  return new KeptLedger(row && readLedger(row.saved, database.where), async (saved) => {
    const text = JSON.stringify(saved);
    if (text === onDisk) return true;
    try {
      await database.change((query) =>
        query
          .insertInto('ledger')
          .values({ account, saved: text })
          .onConflict((conflict) => conflict.column('account').doUpdateSet({ saved: text }))
          .execute(),
      );
      onDisk = text;
      return true;
    } catch (error) {
      if (error instanceof DatabaseFailure) return false;
      throw error;
    }
  });
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

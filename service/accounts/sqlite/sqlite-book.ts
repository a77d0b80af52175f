import type { AccountBook, AccountRows } from '../account-book.ts';
import { explained, openAccountsFile } from './accounts-file.ts';
import { sqliteRows } from './sqlite-rows.ts';

/**
 * The accounts of a data directory, for administrators.
 * @throws AccountsFileError
 */
export function openSqliteBook(
  file: string,
  { whole = true, busyTimeoutMs }: { readonly whole?: boolean; readonly busyTimeoutMs?: number } = {},
): AccountBook {
  const database = openAccountsFile(file, { whole, busyTimeoutMs });
  const rows = sqliteRows(database);

  async function within<Result>(begin: string, work: (rows: AccountRows) => Promise<Result>): Promise<Result> {
    try {
      database.exec(begin);
      const result = await work(rows);
      database.exec('commit');
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (database.isTransaction) database.exec('rollback');
      throw explained(error, file);
    }
  }

  // One transaction at a time: they share a connection.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(begin: string, work: (rows: AccountRows) => Promise<Result>): Promise<Result> {
    const result = last.then(() => within(begin, work));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    read: (work) => inTurn('begin', work),
    change: (work) => inTurn('begin immediate', work),
    async close() {
      await last;
      database.close();
    },
  };
}

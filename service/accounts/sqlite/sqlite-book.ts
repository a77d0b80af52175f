import type { AccountBook, AccountRows } from '../account-book.ts';
import { explained, openAccountsFile } from './accounts-file.ts';
import { sqliteRows } from './sqlite-rows.ts';

/** @throws AccountsFileError */
export function openSqliteBook(
  file: string,
  { whole = true, busyTimeoutMs }: { readonly whole?: boolean; readonly busyTimeoutMs?: number } = {},
): AccountBook {
  const database = openAccountsFile(file, { whole, busyTimeoutMs });
  const rows = sqliteRows(database);

  function within<Result>(begin: string, work: (rows: AccountRows) => Result): Result {
    try {
      database.exec(begin);
      const result = work(rows);
      database.exec('commit');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw explained(error, file);
    }
  }

  return {
    read: (work) => within('begin', work),
    change: (work) => within('begin immediate', work),
    close: () => database.close(),
  };
}

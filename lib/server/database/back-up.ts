import 'server-only';
import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { PostgresTarget } from './postgres-target.ts';

const BUSY_TIMEOUT_MS = 5000;

/**
 * Works while a server runs, without ledger and cached parts: an old ledger's counts would be wrong.
 * @throws Error of SQLite or the file system
 */
export async function backUpSqlite(file: string, copy: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    await backup(database, copy);
  } finally {
    database.close();
  }
  chmodSync(copy, 0o600);
  const copied = new DatabaseSync(copy, { timeout: BUSY_TIMEOUT_MS });
  try {
    copied.exec('delete from ledger; delete from part; vacuum; pragma wal_checkpoint(truncate)');
  } finally {
    copied.close();
  }
}

/** The password comes from PGPASSFILE or ~/.pgpass. */
export function pgDumpCommand(target: PostgresTarget, copy: string): string {
  const { host, port, user, database } = target;
  const words = [
    'pg_dump',
    '--format=custom',
    '--no-owner',
    '--exclude-table-data=ledger',
    '--exclude-table-data=part',
    `--file=${copy}`,
    `--host=${host}`,
    `--port=${port}`,
  ];
  return [...words, `--username=${user}`, `--dbname=${database}`].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

import 'server-only';
import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { PostgresTarget } from './postgres-target.ts';

const BUSY_TIMEOUT_MS = 5000;

/**
 * Copies the database while a server uses it, without its ledger and its cached parts. A ledger's counts of an earlier hour are wrong, and a new
 * one learns the remaining allowance from the upstream's first answer. Parts can be requested again, and are most of the file.
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

/** The command that copies the database of several servers while they use it. The password comes from PGPASSFILE or ~/.pgpass. */
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

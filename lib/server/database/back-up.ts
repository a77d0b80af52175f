import 'server-only';
import { chmodSync, copyFileSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { storageProblem } from './database-failure.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openDatabase } from './open-database.ts';

const BUSY_TIMEOUT_MS = 5000;
/** One step holds one read transaction. With several steps, each write of a running server would begin the copy again. */
const ALL_PAGES = 2 ** 31 - 1;
/** Counts of an old ledger would be wrong, and the cache of the past costs most of the space. */
export const TABLES_LEFT_OUT = ['ledger', 'part'] as const;

type RowCounts = Readonly<Record<string, number>>;

export interface StoredTables {
  readonly rows: RowCounts;
  /** The names of the migrations that it ran, oldest first. None: Lookout never used it. */
  readonly migrations: readonly string[];
}

/**
 * Makes a consistent copy in one file, also while a server writes.
 * @throws Error of SQLite or the file system
 */
export async function copySqlite(file: string, copy: string): Promise<void> {
  if (isReadable(file)) {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      await backup(database, copy, { rate: ALL_PAGES });
    } finally {
      database.close();
    }
  } else copyFileSync(file, copy);
  chmodSync(copy, 0o600);
  const copied = new DatabaseSync(copy, { timeout: BUSY_TIMEOUT_MS });
  try {
    const present = new Set(tableNames(copied));
    for (const table of TABLES_LEFT_OUT) if (present.has(table)) copied.exec(`delete from ${table}`);
    // Reading a file without a write-ahead log makes no other files.
    copied.exec('vacuum; pragma journal_mode = delete');
  } finally {
    copied.close();
  }
}

/**
 * @returns false where SQLite has no room for its index on a full or read-only disk, and left no log: the file is
 * whole as it is
 */
function isReadable(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare('select 1 from sqlite_schema').get();
    return true;
  } catch (error) {
    const hasLog = ['-wal', '-journal'].some(
      (suffix) => (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    if (hasLog || !['full', 'denied'].includes(storageProblem(error) ?? '')) throw error;
    return false;
  } finally {
    database.close();
  }
}

/**
 * Reads every page.
 * @throws Error if it is damaged
 */
export function readSqliteCopy(copy: string): StoredTables {
  const database = new DatabaseSync(copy, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const { integrity_check } = database.prepare('pragma integrity_check(1)').get() as { integrity_check: string };
    if (integrity_check !== 'ok') throw new Error(integrity_check);
    const tables = tableNames(database);
    const names = tables.includes('migration')
      ? (database.prepare('select name from migration order by name').all() as { name: string }[])
      : [];
    return {
      rows: Object.fromEntries(
        tables.map((table) => {
          const { rows } = database.prepare(`select count(*) as rows from "${table}"`).get() as { rows: number };
          return [table, rows];
        }),
      ),
      migrations: names.map(({ name }) => name),
    };
  } finally {
    database.close();
  }
}

function tableNames(database: DatabaseSync): string[] {
  const tables = database
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    )
    .all() as { name: string }[];
  return tables.map(({ name }) => name);
}

/** @returns why there is nothing to back up; `undefined` for a database that Lookout has used */
export async function emptinessOf({ rows, migrations }: StoredTables): Promise<string | undefined> {
  if (migrations.length === 0) return 'has no tables of Lookout';
  const first = await rowsOfNewDatabase();
  const isUsed = Object.entries(rows).some(([table, count]) => !isOfMigrations(table) && count > (first[table] ?? 0));
  return isUsed ? undefined : 'has no operator, view, zone or other row: no Lookout has used it yet';
}

function isOfMigrations(table: string): boolean {
  return table === 'migration' || table === 'migration_lock';
}

async function rowsOfNewDatabase(): Promise<RowCounts> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' });
  try {
    const { rows: tables } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
      database.query,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(
        database.query,
      );
      counts[name] = rows[0]?.rows ?? 0;
    }
    return counts;
  } finally {
    await database.close();
  }
}

/** @returns why this Lookout cannot use such tables */
export function schemaProblem(stored: readonly string[]): string | undefined {
  const known = MIGRATIONS.map(({ name }) => name);
  const newer = stored.filter((name) => !known.includes(name));
  if (newer.length > 0) return `has tables of a newer Lookout (${newer.join(', ')})`;
  return stored.every((name, index) => name === known[index]) ? undefined : 'has tables that were altered';
}

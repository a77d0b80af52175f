import 'server-only';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from './database-failure.ts';
import type { DialectName, Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { CHANNEL } from './postgres-notices.ts';
import { madeMigrations, readSchema, runMigration, type SchemaState, schemaFailure } from './schema.ts';
import { serversPresent } from './servers-present.ts';
import { makePrivate } from './sqlite-file.ts';
import { DamagedStore, storageProblem } from './storage-problem.ts';

/** Told to the other servers with the transaction that migrates. */
export const SCHEMA_TOPIC = 'schema';

const LOOKED_EVERY_MS = 500;
const WAIT_SAID_EVERY_MS = 30 * SECOND_MS;
/** For readers such as pg_dump. */
const LOCK_WAIT_MS = 60 * SECOND_MS;
/** Of builds whose migrations Kysely ran, too: one of all migrates at a time. */
const POSTGRES_LOCK = '3853314791062309107';
const BUSY_TIMEOUT_MS = 2 * SECOND_MS;

export interface SchemaOptions {
  /** Those of this build; a test makes other versions. */
  readonly migrations?: readonly Migration[];
  /** Migrates an older schema, as a server does before it listens. Commands only make the tables of an empty database. */
  readonly upgrades?: boolean;
  /** Called with what the start waits for, and with what it migrated. */
  readonly say?: (text: string) => void;
}

interface Migrated extends SchemaOptions {
  /** For single statements. */
  readonly query: Kysely<unknown>;
  /** Statements may take as long as they need. */
  readonly patient: () => Kysely<unknown>;
  readonly dialect: DialectName;
  readonly where: string;
  /** `undefined` in memory. */
  readonly file: string | undefined;
}

/**
 * Makes or migrates the tables in one transaction, after a copy of a file. Servers of an older schema on the same
 * PostgreSQL must have ended first.
 * @throws DatabaseFailure; then nothing was changed
 */
export async function prepareSchema(options: Migrated): Promise<void> {
  const { query, dialect, where, migrations = MIGRATIONS, upgrades = false, say = () => undefined } = options;
  let saidMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const state = await readSchema(query, dialect, migrations);
    if (state.kind === 'current') return;
    if (state.kind === 'newer' || state.kind === 'altered' || (state.kind === 'older' && !upgrades))
      throw schemaFailure(state, where);
    const others = state.kind === 'older' && dialect === 'postgres' ? await serversPresent(query) : [];
    if (others.length === 0 && (await migrate(options, state))) continue;
    if (performance.now() - saidMs >= WAIT_SAID_EVERY_MS) {
      saidMs = performance.now();
      say(waitText(state, where, others));
    }
    await delay(LOOKED_EVERY_MS);
  }
}

function waitText(state: SchemaState, where: string, others: readonly string[]): string {
  if (state.kind !== 'older' || others.length === 0) return `another process migrates ${where}: waiting for it`;
  return `${where} has the schema ${state.version}, which ${others.join(', ')} use, and this Lookout needs ${state.needed}: waiting until they have stopped`;
}

/** @returns false if another process migrates, or servers of the older schema have begun meanwhile */
async function migrate(options: Migrated, seen: SchemaState): Promise<boolean> {
  const { dialect, where, file, migrations = MIGRATIONS, say = () => undefined } = options;
  const query = options.patient();
  let copy: string | undefined;
  try {
    return await query.transaction().execute(async (db) => {
      if (dialect === 'postgres' && !(await lockPostgres(db))) return false;
      const state = await readSchema(db, dialect, migrations);
      if (state.kind !== 'empty' && state.kind !== 'older') return true;
      if (state.kind === 'older') {
        if (dialect === 'postgres' && (await serversPresent(db)).length > 0) return false;
        if (file !== undefined) copy = await copyBefore(file, state.version);
      } else await makeOwnTables(db);
      const made = state.kind === 'empty' ? [] : await madeMigrations(db);
      for (const migration of migrations.slice(made.length)) {
        await runMigration(db, dialect, migration);
        await sql`insert into migration (name, timestamp) values (${migration.name}, ${new Date().toISOString()})`.execute(
          db,
        );
      }
      const after = await readSchema(db, dialect, migrations);
      if (after.kind === 'newer' || after.kind === 'altered') throw schemaFailure(after, where);
      if (state.kind === 'older') {
        if (dialect === 'postgres')
          await sql`select pg_notify(${CHANNEL}, ${`${SCHEMA_TOPIC} ${after.needed}`})`.execute(db);
        say(
          `migrates ${where} from ${state.version} to ${after.needed}${copy === undefined ? '' : `; the copy from before it is ${copy}`}`,
        );
      }
      return true;
    });
  } catch (error) {
    throw explained(error, seen, where, file);
  } finally {
    if (query !== options.query) await query.destroy();
  }
}

function explained(error: unknown, seen: SchemaState, where: string, file: string | undefined): unknown {
  if (seen.kind !== 'older') return error;
  const from = `${seen.version} to ${seen.needed}`;
  const because = error instanceof Error ? error.message : String(error);
  const kind = error instanceof DatabaseFailure ? error.kind : storageProblem(error);
  if (kind === 'full') {
    const size = file === undefined ? '' : ` of about ${Math.ceil((2 * sizeOf(file)) / 1e6)} MB`;
    return new DatabaseFailure(
      kind,
      `The disk of ${where} is full, and the database is to be migrated from ${from}. Nothing was changed: make room${size} for a copy and the changes, and start again (${because}).`,
      error,
    );
  }
  if (kind !== undefined && kind !== 'other-schema') return error;
  return new DatabaseFailure(
    'other-schema',
    `${where} could not be migrated from ${from}: ${because}. Nothing was changed: start the Lookout that made it, and report this.`,
    error,
  );
}

async function lockPostgres(db: Kysely<unknown>): Promise<boolean> {
  await sql.raw(`set local lock_timeout = ${LOCK_WAIT_MS}`).execute(db);
  await sql.raw('set local statement_timeout = 0').execute(db);
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.raw(POSTGRES_LOCK)}) as locked`.execute(db);
  return rows[0]?.locked === true;
}

/** `migration_lock` is for a check by a write. */
async function makeOwnTables(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    'create table if not exists migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
    'create table if not exists migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null)',
    "insert into migration_lock (id, is_locked) values ('migration_lock', 0) on conflict do nothing",
  ])
    await sql.raw(statement).execute(db);
}

/**
 * Copies a file of SQLite that this process has locked for writing. A copy of the same version is replaced only by a
 * whole one.
 * @returns its path
 */
async function copyBefore(file: string, version: string): Promise<string> {
  const { name, ext } = parse(file);
  const dir = dirname(file);
  const copy = join(dir, `${name}-${version}${ext}`);
  const part = `${copy}.part`;
  for (const left of [part, `${part}-journal`]) rmSync(left, { force: true });
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize < sizeOf(file))
    throw new DatabaseFailure('full', `${Math.floor((bavail * bsize) / 1e6)} MB are free, too few for a copy`);
  const source = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    makePrivate(part);
    await backup(source, part);
    const copied = new DatabaseSync(part);
    try {
      // Without a log, the copy is one file.
      copied.exec('pragma journal_mode = delete');
      const { quick_check } = copied.prepare('pragma quick_check(1)').get() as { quick_check: string };
      if (quick_check !== 'ok' || rowCounts(copied) !== rowCounts(source))
        throw new DamagedStore(`the copy ${part} differs from it: ${quick_check}`);
    } finally {
      copied.close();
    }
    fsync(part);
    renameSync(part, copy);
    fsync(dir);
    return copy;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** With its log. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}

function rowCounts(database: DatabaseSync): string {
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  const counts = tables.map(({ name }) => database.prepare(`select count(*) as n from "${name}"`).get()?.n);
  return counts.join(' ');
}

function fsync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

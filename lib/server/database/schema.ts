// Decides whether a database has the tables that this build needs: it makes or migrates them when a server starts, and
// refuses every other difference by name. It never changes a database that it refuses.
import 'server-only';
import { existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Kysely, sql } from 'kysely';
import { commandText } from '#lib/commands/command-text.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DamagedStore, DatabaseFailure, sqliteFailure, storageProblem } from './database-failure.ts';
import { moves } from './migrations/0006-moves.ts';
import { COLUMN_TYPES, type DialectName, type Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { CHANNEL } from './notices.ts';
import { postgresDialect, postgresFailure } from './postgres.ts';
import { type PostgresTarget, postgresName } from './postgres-target.ts';
import { syncPath } from './restored-data-dir.ts';
import { differencesOf, fingerprintOf, readParts, type SchemaPart } from './schema-form.ts';
import { serversPresent } from './servers-present.ts';
import { PatientSqliteDialect } from './sqlite-dialect.ts';
import { makePrivate, requireOurs } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

interface SqliteTarget {
  readonly dialect: 'sqlite';
  /** A path, or `:memory:`. */
  readonly file: string;
}
export type DatabaseTarget = SqliteTarget | PostgresTarget;

/** The tables of a database, compared with those that this build needs. Versions are names of migrations. */
export type SchemaState =
  | { readonly kind: 'empty'; readonly needed: string }
  | ({ readonly kind: 'current' } & KnownSchema)
  | ({ readonly kind: 'older' } & KnownSchema)
  | { readonly kind: 'newer'; readonly version: string; readonly needed: string }
  | {
      readonly kind: 'altered';
      /**
       * The version that its table `migration` states; `undefined`: it has tables of Lookout’s names that Lookout did
       * not make.
       */
      readonly version: string | undefined;
      readonly needed: string;
      readonly differences: readonly string[];
      /**
       * The fingerprint found, and that of an unaltered database of `version`; `undefined` where this build does not
       * know that one.
       */
      readonly fingerprints: { readonly found: string; readonly expected: string } | undefined;
    };

interface KnownSchema {
  readonly version: string;
  readonly needed: string;
  /** It is equal in SQLite and PostgreSQL. */
  readonly fingerprint: string;
  /** Migrations that are still to run. */
  readonly pending: readonly string[];
}

type UnusableSchema = Exclude<SchemaState, { readonly kind: 'empty' | 'current' }>;

const DIFFERENCES_SHOWN_MAX = 3;
/** The transaction that migrates notifies the other servers. */
export const SCHEMA_TOPIC = 'schema';

const LOOKED_EVERY_MS = 500;
const WAIT_SAID_EVERY_MS = 30 * SECOND_MS;
/** A migration waits so long for readers such as pg_dump. */
const LOCK_WAIT_MS = 60 * SECOND_MS;
/** The lock is also that of builds whose migrations Kysely ran: one of all migrates at a time. */
const POSTGRES_LOCK = '3853314791062309107';
const BUSY_TIMEOUT_MS = 2 * SECOND_MS;

export interface SchemaOptions {
  /** The migrations of this build; a test makes other versions. */
  readonly migrations?: readonly Migration[];
  /** Migrates an older schema, as a server does before it listens. Commands only make the tables of an empty database. */
  readonly upgrades?: boolean;
  /** Receives what the start waits for, and what it migrated. */
  readonly say?: (text: string) => void;
}

interface Migrated extends SchemaOptions {
  /** A connection that runs single statements. */
  readonly query: Kysely<unknown>;
  /** A connection whose statements have no time limit. */
  readonly patient: () => Kysely<unknown>;
  readonly dialect: DialectName;
  readonly where: string;
  /** `undefined` for a database in memory. */
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
      if (after.kind === 'altered') throw new Error(`it made other tables: ${after.differences.join('; ')}`);
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
    syncPath(part);
    renameSync(part, copy);
    syncPath(dir);
    return copy;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** The size of the file with its log. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}

function rowCounts(database: DatabaseSync): string {
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  const counts = tables.map(({ name }) => database.prepare(`select count(*) as n from "${name}"`).get()?.n);
  return counts.join(' ');
}

/**
 * Reads the schema of a database that nothing here opens otherwise, and changes nothing.
 * @throws DatabaseFailure
 */
export function schemaOf(target: DatabaseTarget, migrations = MIGRATIONS): Promise<SchemaState> {
  return readOnly(target, (query) => readSchema(query, target.dialect, migrations));
}

/**
 * Reads a database that nothing here opens otherwise, and changes nothing.
 * @throws DatabaseFailure
 */
export async function readOnly<Result>(
  target: DatabaseTarget,
  read: (query: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  if (target.dialect === 'postgres') {
    const failed = (error: unknown) => postgresFailure(error, target);
    const query = new Kysely<unknown>({ dialect: postgresDialect(target, { succeeded: () => undefined, failed }) });
    try {
      return await read(query);
    } finally {
      await query.destroy();
    }
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(readOnlyAddress(target.file), { readOnly: true });
    requireOurs(database);
    return await read(queryOf(database));
  } catch (error) {
    throw sqliteFailure(error, target.file);
  } finally {
    database?.close();
  }
}

/** Reading a file that no process has open would leave a log and its index in its folder. */
function readOnlyAddress(file: string): string | URL {
  if (existsSync(`${file}-wal`)) return file;
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return address;
}

/** Names of the tables that this build makes. */
export async function ownTables(): Promise<readonly string[]> {
  return [...new Set((await expectedParts(MIGRATIONS)).map(({ table }) => table))];
}

/** @throws DatabaseFailure */
export async function readSchema(
  query: Kysely<never> | Kysely<unknown>,
  dialect: DialectName,
  migrations = MIGRATIONS,
): Promise<SchemaState> {
  const db = query as Kysely<unknown>;
  for (let found = await readParts(db, dialect); ; ) {
    const state = await stateOf(db, found, migrations);
    if (state.kind !== 'altered') return state;
    // A migration that ended between two reads looks like an alteration.
    const again = await readParts(db, dialect);
    if (fingerprintOf(again, again) === fingerprintOf(found, found)) return state;
    found = again;
  }
}

async function stateOf(
  db: Kysely<unknown>,
  found: readonly SchemaPart[],
  migrations: readonly Migration[],
): Promise<SchemaState> {
  const needed = migrations.at(-1)!.name;
  const has = (table: string, name: string) => found.some((part) => part.table === table && part.name === name);
  const made = has('migration', 'column name') ? await madeMigrations(db) : [];
  const version = made.at(-1);
  if (version === undefined) {
    const ours = new Set((await expectedParts(migrations)).map(({ table }) => table));
    const taken = [...new Set(found.map(({ table }) => table))].filter((table) => ours.has(table));
    if (taken.length === 0) return { kind: 'empty', needed };
    const differences = taken.map((table) => `table ${table} is not Lookout’s`);
    return { kind: 'altered', version, needed, differences, fingerprints: undefined };
  }
  const known = migrations.map(({ name }) => name);
  if (known.every((name, place) => made[place] === name) && made.length > known.length)
    return { kind: 'newer', version, needed };
  const strange = made.flatMap((name, place) =>
    known[place] === name ? [] : [`migration ${name} stands where this Lookout has ${known[place] ?? 'none'}`],
  );
  if (strange.length > 0) return { kind: 'altered', version, needed, differences: strange, fingerprints: undefined };
  const expected = await expectedParts(migrations.slice(0, made.length));
  const differences = differencesOf(expected, found);
  const fingerprint = fingerprintOf(expected, found);
  if (differences.length > 0) {
    const fingerprints = { found: fingerprint, expected: fingerprintOf(expected, expected) };
    return { kind: 'altered', version, needed, differences, fingerprints };
  }
  const pending = known.slice(made.length);
  return { kind: pending.length === 0 ? 'current' : 'older', version, needed, fingerprint, pending };
}

/** Names of the migrations that a database has run. */
export async function madeMigrations(query: Kysely<never> | Kysely<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(query as Kysely<unknown>);
  return rows.map(({ name }) => name).sort();
}

export async function runMigration(db: Kysely<unknown>, dialect: DialectName, migration: Migration): Promise<void> {
  for (const statement of migration.statements(COLUMN_TYPES[dialect])) await sql.raw(statement).execute(db);
  await migration.convert?.(db);
}

/** Why a database in this state is not used, and what to do. */
export function schemaFailure(state: UnusableSchema, where: string): DatabaseFailure {
  const text = state.kind === 'older' ? olderText : state.kind === 'newer' ? newerText : alteredText(state);
  return new DatabaseFailure('other-schema', text(where, state.version ?? '', state.needed));
}

const olderText = (where: string, version: string, needed: string) =>
  `${where} has the schema ${version}, and this Lookout needs ${needed}. Its data is whole and was left as it is: start this Lookout itself, which migrates it, or use the command of the release that made it.`;

const newerText = (where: string, version: string, needed: string) =>
  `${where} has the schema ${version} of a newer Lookout, and this one needs ${needed}. Its data is whole and was left as it is: start a release that has ${version}, or go back as docs/upgrading.md says, with the copy from before the upgrade.`;

function alteredText({ version, differences, fingerprints }: Extract<SchemaState, { readonly kind: 'altered' }>) {
  const more = differences.length - DIFFERENCES_SHOWN_MAX;
  const list = [...differences.slice(0, DIFFERENCES_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  if (version === undefined)
    return (where: string) =>
      `${where} has tables that bear names of Lookout’s: ${list}. They were left as they are: give Lookout a database of its own.`;
  const prints = fingerprints ? ` (fingerprint ${fingerprints.found} in place of ${fingerprints.expected})` : '';
  return (where: string, _: string, needed: string) =>
    `${where} has the schema ${version}, altered${prints}, and this Lookout needs ${needed}: ${list}. Its data was left as it is. If tables were changed by hand, undo that. If a build between two releases made them, start that build, or begin without this data in another DATA_DIR or DATABASE_URL.`;
}

/** SQLite makes them in memory: every migration makes the same tables in both databases. */
async function expectedParts(migrations: readonly Migration[]): Promise<readonly SchemaPart[]> {
  const key = migrations.flatMap(({ statements }) => statements(COLUMN_TYPES.sqlite)).join('\n');
  const known = expectedByStatements.get(key);
  if (known) return known;
  const database = new DatabaseSync(':memory:');
  try {
    const query = queryOf(database);
    for (const migration of migrations) await runMigration(query, 'sqlite', migration);
    const parts = await readParts(query, 'sqlite');
    expectedByStatements.set(key, parts);
    return parts;
  } finally {
    database.close();
  }
}

const expectedByStatements = new Map<string, readonly SchemaPart[]>();

/** The caller closes the file. */
function queryOf(database: DatabaseSync): Kysely<unknown> {
  const outcomes = { succeeded: () => undefined, failed: (error: unknown) => error };
  return new Kysely<unknown>({ dialect: new PatientSqliteDialect(database, outcomes) });
}

export function whereOf(target: DatabaseTarget): string {
  return target.dialect === 'sqlite' ? target.file : postgresName(target);
}

/** @returns why Lookout must not use this database, and what to run */
export function moveProblem(
  where: string,
  { state, other, at_ms }: Pick<Tables['move'], 'state' | 'other' | 'at_ms'>,
): string | undefined {
  if (state === 'filling')
    return `${where} is half moved: the move from ${other} has not ended, and nothing of it is here. Run it again (${commandText('move', '--to …')}) with the settings of ${other}. To give it up, run ${commandText('move', '--undo')} with the settings of ${where}.`;
  if (state === 'moved')
    return `${where} was moved to ${other} at ${new Date(at_ms).toISOString()}: this is the old copy, which would send its alarms and spend its account a second time. Use the settings of ${other}. If that copy is given up and never starts again, run ${commandText('move', '--undo')} with the settings of ${where}: everything since the move is lost then.`;
  return undefined;
}

/** @throws DatabaseFailure */
export async function requireUnmoved(query: Kysely<unknown>, where: string): Promise<void> {
  if (!(await madeMigrations(query)).includes(moves.name)) return;
  const { rows } = await sql<Tables['move']>`select state, other, at_ms from move`.execute(query);
  const problem = rows[0] && moveProblem(where, rows[0]);
  if (problem !== undefined) throw new DatabaseFailure('denied', problem);
}

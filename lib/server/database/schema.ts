import 'server-only';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { DatabaseFailure } from './database-failure.ts';
import { COLUMN_TYPES, type DialectName, type Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { postgresFailure } from './postgres-failure.ts';
import { postgresPool } from './postgres-pool.ts';
import { type PostgresTarget, targetText } from './postgres-target.ts';
import { differencesOf, fingerprintOf, readParts, type SchemaPart } from './schema-form.ts';
import { PatientSqliteDialect } from './sqlite-dialect.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { requireOurs } from './sqlite-file.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { watchedPool } from './watched-pool.ts';

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
      /** As its table `migration` says; `undefined`: it has tables of Lookout’s names that Lookout did not make. */
      readonly version: string | undefined;
      readonly needed: string;
      readonly differences: readonly string[];
      /** Found, and of an unaltered database of `version`; `undefined` where this build does not know that one. */
      readonly fingerprints: { readonly found: string; readonly expected: string } | undefined;
    };

interface KnownSchema {
  readonly version: string;
  readonly needed: string;
  /** Equal in SQLite and PostgreSQL. */
  readonly fingerprint: string;
  /** Migrations that are still to run. */
  readonly pending: readonly string[];
}

type UnusableSchema = Exclude<SchemaState, { readonly kind: 'empty' | 'current' }>;

const DIFFERENCES_SHOWN_MAX = 3;

/**
 * Reads the schema of a database that nothing here opens otherwise, and changes nothing.
 * @throws DatabaseFailure
 */
export async function schemaOf(target: DatabaseTarget, migrations = MIGRATIONS): Promise<SchemaState> {
  if (target.dialect === 'postgres') {
    const failed = (error: unknown) => postgresFailure(error, target);
    const pool = watchedPool(postgresPool(target), { succeeded: () => undefined, failed });
    const query = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      return await readSchema(query, 'postgres', migrations);
    } finally {
      await query.destroy();
    }
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(target.file, { readOnly: true });
    requireOurs(database);
    return await readSchema(queryOf(database), 'sqlite', migrations);
  } catch (error) {
    throw sqliteFailure(error, target.file);
  } finally {
    database?.close();
  }
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
  const statements = new SqliteStatements(database, { succeeded: () => undefined, failed: (error) => error });
  return new Kysely<unknown>({ dialect: new PatientSqliteDialect(statements) });
}

export function whereOf(target: DatabaseTarget): string {
  return target.dialect === 'sqlite' ? target.file : `PostgreSQL at ${targetText(target)}`;
}

import 'server-only';
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { Database } from './database.ts';
import { DatabaseFailure } from './database-failure.ts';
import { prepareSchema, SCHEMA_TOPIC, type SchemaOptions } from './migrate.ts';
import type { DialectName } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { requireUnmoved } from './move-mark.ts';
import type { Notices } from './notices.ts';
import type { Outcomes } from './outcomes.ts';
import { postgresFailure } from './postgres-failure.ts';
import { PostgresNotices } from './postgres-notices.ts';
import { patientPool, postgresClient, postgresPool } from './postgres-pool.ts';
import type { PostgresTarget } from './postgres-target.ts';
import { requireServer } from './require-server.ts';
import { type DatabaseTarget, madeMigrations, readSchema, schemaFailure, whereOf } from './schema.ts';
import { PatientSqliteDialect } from './sqlite-dialect.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { SqliteNotices } from './sqlite-notices.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import type { Tables } from './tables/tables.ts';
import { watchedPool } from './watched-pool.ts';

export type { DatabaseTarget } from './schema.ts';

/** Called with `undefined` when the database works again. */
type ReportsFailure = (failure: DatabaseFailure | undefined) => void;

export interface OpenOptions extends SchemaOptions {
  /** No other process has the SQLite file: nothing looks for changes by others. */
  readonly isAlone?: boolean;
  readonly report?: ReportsFailure;
  /** As `PostgresNoticesOptions`. */
  readonly odd?: (count: number) => void;
}

const SCHEMA_CHECKED_EVERY_MS = 5 * SECOND_MS;

/** @throws DatabaseFailure that says what to do */
export async function openDatabase(target: DatabaseTarget, options: OpenOptions = {}): Promise<Database> {
  const { isAlone = false, report = () => undefined, odd = () => undefined } = options;
  const { dialect } = target;
  const where = whereOf(target);
  const toFailure = (error: unknown) =>
    target.dialect === 'sqlite' ? sqliteFailure(error, target.file) : postgresFailure(error, target);
  const health = new DatabaseHealth(toFailure, report);
  const opened =
    target.dialect === 'sqlite' ? openSqlite(target.file, health, isAlone) : openPostgres(target, health, odd);
  const query = new Kysely<Tables>({ dialect: opened.kysely });
  const plain = query as unknown as Kysely<unknown>;
  let notices: Notices | undefined;
  try {
    if (dialect === 'postgres') await requireServer(query, where);
    notices = opened.notices(query);
    await notices.started;
    await prepareSchema({
      ...options,
      query: plain,
      patient: opened.patient(plain),
      dialect,
      where,
      file: opened.file,
    });
    await requireUnmoved(plain, where);
  } catch (error) {
    await notices?.close();
    await query.destroy();
    throw error;
  }
  health.begin();
  const closing = new AbortController();
  const check = schemaCheck(plain, dialect, where, options, health, closing.signal);
  const timer = isAlone ? undefined : setInterval(check, SCHEMA_CHECKED_EVERY_MS).unref();
  notices.listen(SCHEMA_TOPIC, check, /^[\w-]{1,64}$/);
  const stopChecks = () => {
    clearInterval(timer);
    closing.abort();
  };
  return new Database({ dialect, where, query, notices, health, stopChecks });
}

/** A newer build may migrate the database under a server: that one must not go on half working. */
function schemaCheck(
  query: Kysely<unknown>,
  dialect: DialectName,
  where: string,
  { migrations = MIGRATIONS }: SchemaOptions,
  health: DatabaseHealth,
  closing: AbortSignal,
): () => Promise<void> {
  const needed = migrations.map(({ name }) => name).join(' ');
  return async () => {
    try {
      if (health.stopped || closing.aborted) return;
      const made = await madeMigrations(query);
      if (made.join(' ') !== needed) {
        const version = made.at(-1) ?? 'none';
        health.stop(schemaFailure({ kind: 'newer', version, needed: migrations.at(-1)!.name }, where));
      } else if (health.failure?.kind === 'other-schema') {
        // A statement did not fit the tables: they were changed by hand, or it is a defect.
        if ((await readSchema(query, dialect, migrations)).kind === 'current') health.fits();
      }
    } catch (error) {
      // One that is under way when the database closes ends with it.
      if (!closing.aborted && !(error instanceof DatabaseFailure)) throw error;
    }
  };
}

interface Opened {
  readonly kysely: Dialect;
  /** `undefined` in memory, and elsewhere. */
  readonly file: string | undefined;
  readonly patient: (query: Kysely<unknown>) => () => Kysely<unknown>;
  readonly notices: (query: Kysely<Tables>) => Notices;
}

function openSqlite(file: string, outcomes: Outcomes, isAlone: boolean): Opened {
  try {
    const database = openSqliteFile(file);
    const isInMemory = file === ':memory:';
    return {
      kysely: new PatientSqliteDialect(new SqliteStatements(database, outcomes)),
      file: isInMemory ? undefined : file,
      patient: (query) => () => query,
      notices: () => new SqliteNotices(database, isAlone || isInMemory),
    };
  } catch (error) {
    throw outcomes.failed(error);
  }
}

function openPostgres(target: PostgresTarget, outcomes: Outcomes, odd: (count: number) => void): Opened {
  return {
    kysely: new PostgresDialect({ pool: watchedPool(postgresPool(target), outcomes) }),
    file: undefined,
    patient: () => () =>
      new Kysely<unknown>({ dialect: new PostgresDialect({ pool: watchedPool(patientPool(target), outcomes) }) }),
    notices: (query) => new PostgresNotices({ connect: () => postgresClient(target), query, outcomes, odd }),
  };
}

/** Reports each failure when it begins and ends; one that prevents the opening is only thrown. */
class DatabaseHealth implements Outcomes {
  failure: DatabaseFailure | undefined;
  stopped: DatabaseFailure | undefined;
  #isOpen = false;
  readonly #toFailure: (error: unknown) => unknown;
  readonly #report: ReportsFailure;

  constructor(toFailure: (error: unknown) => unknown, report: ReportsFailure) {
    this.#toFailure = toFailure;
    this.#report = report;
  }

  begin(): void {
    this.#isOpen = true;
    this.failure = undefined;
  }

  succeeded(): void {
    if (this.failure?.kind === 'lost') this.written();
  }

  /** Other statements say nothing about one that did not fit the tables. */
  written(): void {
    if (this.failure?.kind !== 'other-schema') this.fits();
  }

  fits(): void {
    if (this.failure) this.#report(undefined);
    this.failure = undefined;
  }

  stop(failure: DatabaseFailure): void {
    this.stopped = failure;
    this.failure = failure;
    this.#report(failure);
  }

  failed(error: unknown): unknown {
    const failure = this.#toFailure(error);
    if (this.failure?.kind === 'other-schema') return failure;
    if (this.#isOpen && failure instanceof DatabaseFailure && failure.kind !== 'in-use') {
      const isKnown = this.failure?.kind === failure.kind;
      this.failure = failure;
      if (!isKnown) this.#report(failure);
    }
    return failure;
  }
}

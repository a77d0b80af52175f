import 'server-only';
import { type Dialect, Kysely } from 'kysely';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { Database } from './database.ts';
import { DatabaseFailure, type Outcomes, sqliteFailure } from './database-failure.ts';
import type { DialectName, Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { type Notices, PostgresNotices, SqliteNotices } from './notices.ts';
import { patientPostgresDialect, postgresClient, postgresDialect, postgresFailure, requireServer } from './postgres.ts';
import type { PostgresTarget } from './postgres-target.ts';
import {
  type DatabaseTarget,
  madeMigrations,
  prepareSchema,
  readSchema,
  requireUnmoved,
  SCHEMA_TOPIC,
  type SchemaOptions,
  schemaFailure,
  whereOf,
} from './schema.ts';
import { PatientSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteFile } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

export type { DatabaseTarget } from './schema.ts';

/** Receives `undefined` when the database works again. */
type ReportsFailure = (failure: DatabaseFailure | undefined) => void;

export interface OpenOptions extends SchemaOptions {
  /** Whether no other process has the SQLite file: then nothing looks for changes by others. */
  readonly isAlone?: boolean;
  readonly report?: ReportsFailure;
  /** Receives an unexpected error of the server's own checks, once until one succeeds. */
  readonly defect?: (error: unknown) => void;
  /** The same as in `PostgresNoticesOptions`. */
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
  const checks = new SchemaChecks(plain, dialect, where, options, health);
  const timer = isAlone ? undefined : setInterval(() => void checks.run(), SCHEMA_CHECKED_EVERY_MS).unref();
  notices.listen(SCHEMA_TOPIC, () => void checks.run(), /^[\w-]{1,64}$/);
  const stopChecks = () => {
    clearInterval(timer);
    checks.stop();
  };
  return new Database({ dialect, where, query, notices, health, stopChecks });
}

/** A newer build may migrate the database under a server, which must then stop its statements. */
class SchemaChecks {
  readonly #query: Kysely<unknown>;
  readonly #dialect: DialectName;
  readonly #where: string;
  readonly #migrations: readonly Migration[];
  readonly #defect: (error: unknown) => void;
  readonly #health: DatabaseHealth;
  #isDefective = false;
  #isStopped = false;

  constructor(
    query: Kysely<unknown>,
    dialect: DialectName,
    where: string,
    { migrations = MIGRATIONS, defect = () => undefined }: OpenOptions,
    health: DatabaseHealth,
  ) {
    this.#query = query;
    this.#dialect = dialect;
    this.#where = where;
    this.#migrations = migrations;
    this.#defect = defect;
    this.#health = health;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Never rejects: the next check repeats one that failed. */
  async run(): Promise<void> {
    if (this.#health.stopped || this.#isStopped) return;
    try {
      await this.#compare();
      this.#isDefective = false;
    } catch (error) {
      if (this.#isStopped || this.#isDefective || error instanceof DatabaseFailure) return;
      this.#isDefective = true;
      this.#defect(error);
    }
  }

  async #compare(): Promise<void> {
    const needed = this.#migrations.map(({ name }) => name);
    const made = await madeMigrations(this.#query);
    if (made.join(' ') !== needed.join(' ')) {
      const version = made.at(-1) ?? 'none';
      this.#health.stop(schemaFailure({ kind: 'newer', version, needed: needed.at(-1)! }, this.#where));
    } else if (this.#health.failure?.kind === 'other-schema') {
      // A statement did not fit the tables: they were changed by hand, or it is a defect.
      const { kind } = await readSchema(this.#query, this.#dialect, this.#migrations);
      if (kind === 'current') this.#health.fits();
    }
  }
}

interface Opened {
  readonly kysely: Dialect;
  /** The SQLite file; `undefined` in memory and for PostgreSQL. */
  readonly file: string | undefined;
  readonly patient: (query: Kysely<unknown>) => () => Kysely<unknown>;
  readonly notices: (query: Kysely<Tables>) => Notices;
}

function openSqlite(file: string, outcomes: Outcomes, isAlone: boolean): Opened {
  try {
    const database = openSqliteFile(file);
    const isInMemory = file === ':memory:';
    return {
      kysely: new PatientSqliteDialect(database, outcomes),
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
    kysely: postgresDialect(target, outcomes),
    file: undefined,
    patient: () => () => new Kysely<unknown>({ dialect: patientPostgresDialect(target, outcomes) }),
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

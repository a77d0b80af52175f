import 'server-only';
import { CompiledQuery, type Dialect, Kysely, PostgresDialect } from 'kysely';
import { Database } from './database.ts';
import { DatabaseFailure } from './database-failure.ts';
import { requireUnmoved } from './move-mark.ts';
import type { Notices } from './notices.ts';
import type { Outcomes } from './outcomes.ts';
import { postgresFailure } from './postgres-failure.ts';
import { PostgresNotices } from './postgres-notices.ts';
import { postgresClient, postgresPool, STATEMENT_TIMEOUT_MS } from './postgres-pool.ts';
import { type PostgresTarget, targetText } from './postgres-target.ts';
import { requireServer } from './require-server.ts';
import { PatientSqliteDialect } from './sqlite-dialect.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { SqliteNotices } from './sqlite-notices.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { migrate } from './tables/migrate.ts';
import type { DialectName } from './tables/table-form.ts';
import type { Tables } from './tables/tables.ts';
import { watchedPool } from './watched-pool.ts';

interface SqliteTarget {
  readonly dialect: 'sqlite';
  /** A path, or `:memory:`. */
  readonly file: string;
}
export type DatabaseTarget = SqliteTarget | PostgresTarget;

/** Called with `undefined` when the database works again. */
export type ReportsFailure = (failure: DatabaseFailure | undefined) => void;

/** @param odd as `PostgresNoticesOptions` @throws DatabaseFailure that says what to do */
export async function openDatabase(
  target: DatabaseTarget,
  report: ReportsFailure = () => undefined,
  odd: (count: number) => void = () => undefined,
): Promise<Database> {
  const { dialect, where, toFailure } = describe(target);
  const health = new DatabaseHealth(toFailure, report);
  const opened = target.dialect === 'sqlite' ? openSqlite(target, health) : openPostgres(target, health, odd);
  const query = new Kysely<Tables>({ dialect: opened.kysely });
  let notices: Notices | undefined;
  try {
    if (dialect === 'postgres') await requireServer(query, where);
    notices = opened.notices(query);
    await notices.started;
    await migrate(query, dialect, where);
    await requireUnmoved(query, where);
  } catch (error) {
    await notices?.close();
    await query.destroy();
    throw error;
  }
  health.begin();
  return new Database({ dialect, where, query, notices, health });
}

function describe(target: DatabaseTarget): {
  readonly dialect: DialectName;
  readonly where: string;
  readonly toFailure: (error: unknown) => unknown;
} {
  const { dialect } = target;
  return dialect === 'sqlite'
    ? { dialect, where: target.file, toFailure: (error) => sqliteFailure(error, target.file) }
    : {
        dialect,
        where: `PostgreSQL at ${targetText(target)}`,
        toFailure: (error) => postgresFailure(error, target),
      };
}

interface Opened {
  readonly kysely: Dialect;
  readonly notices: (query: Kysely<Tables>) => Notices;
}

function openSqlite({ file }: SqliteTarget, outcomes: Outcomes): Opened {
  try {
    const database = openSqliteFile(file);
    return {
      kysely: new PatientSqliteDialect(new SqliteStatements(database, outcomes)),
      notices: () => new SqliteNotices(database),
    };
  } catch (error) {
    throw outcomes.failed(error);
  }
}

function openPostgres(target: PostgresTarget, outcomes: Outcomes, odd: (count: number) => void): Opened {
  return {
    kysely: new PostgresDialect({
      pool: watchedPool(postgresPool(target), outcomes),
      onCreateConnection: async (connection) => {
        await connection.executeQuery(
          CompiledQuery.raw(`set synchronous_commit = on; set statement_timeout = ${STATEMENT_TIMEOUT_MS}`),
        );
      },
    }),
    notices: (query) => new PostgresNotices({ connect: () => postgresClient(target), query, outcomes, odd }),
  };
}

/** Reports each failure when it begins and ends; one that prevents the opening is only thrown. */
class DatabaseHealth implements Outcomes {
  failure: DatabaseFailure | undefined;
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

  written(): void {
    if (this.failure) this.#report(undefined);
    this.failure = undefined;
  }

  failed(error: unknown): unknown {
    const failure = this.#toFailure(error);
    if (this.#isOpen && failure instanceof DatabaseFailure && failure.kind !== 'in-use') {
      const isKnown = this.failure?.kind === failure.kind;
      this.failure = failure;
      if (!isKnown) this.#report(failure);
    }
    return failure;
  }
}

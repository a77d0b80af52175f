import 'server-only';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { DatabaseFailure, type Outcomes } from './database-failure.ts';

/** Statements wait so long for `npm run operator`, or for a server that is stopping. */
const BUSY_TIMEOUT_MS = 2000;
const RETRY_AFTER_MS = 5;
const PREPARED_MAX = 200;

/** Makes a migration one transaction, and waits for other processes without blocking this one. */
export class PatientSqliteDialect extends SqliteDialect {
  readonly #statements: SqliteStatements;

  /** @param outcomes receives the outcome of each statement, and explains its error */
  constructor(database: DatabaseSync, outcomes: Outcomes) {
    const statements = new SqliteStatements(database, outcomes);
    super({ database: statements });
    this.#statements = statements;
  }

  override createDriver(): Driver {
    return new PatientDriver(this.#statements);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class PatientDriver extends SqliteDriver {
  readonly #statements: SqliteStatements;
  #connection: PatientConnection | undefined;

  constructor(statements: SqliteStatements) {
    super({ database: statements });
    this.#statements = statements;
  }

  /** Rolls the transaction back. A full disk may have ended it already. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#statements.isTransaction) await super.rollbackTransaction(connection);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= new PatientConnection(await super.acquireConnection());
    return this.#connection;
  }
}

class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  /** Statements of a transaction are never busy. */
  async executeQuery<Row>(query: CompiledQuery, options?: AbortableOperationOptions) {
    const untilMs = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#connection.executeQuery<Row>(query, options);
      } catch (error) {
        const isBusy = error instanceof DatabaseFailure && error.kind === 'in-use';
        if (!isBusy || performance.now() > untilMs) throw error;
      }
      await delay(RETRY_AFTER_MS);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number, options?: AbortableOperationOptions) {
    return this.#connection.streamQuery<Row>(query, chunkSize, options);
  }
}

/** A transaction takes the lock for writing when it begins. */
class SqliteStatements implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #outcomes: Outcomes;
  readonly #prepared = new LRUCache<string, SqliteStatement>({ max: PREPARED_MAX });

  constructor(database: DatabaseSync, outcomes: Outcomes) {
    this.#database = database;
    this.#outcomes = outcomes;
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const text = sql === 'begin' ? 'begin immediate' : sql;
    const statement = this.#watched(() => this.#toKysely(this.#database.prepare(text), sql === 'rollback'));
    this.#prepared.set(sql, statement);
    return statement;
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #toKysely(statement: StatementSync, isRollback: boolean): SqliteStatement {
    const reader = statement.columns().length > 0;
    const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
    const run = <Result>(work: () => Result) => {
      if (this.#outcomes.stopped && !isRollback) throw this.#outcomes.stopped;
      return this.#watched(work);
    };
    return {
      reader,
      all: (parameters) => run(() => statement.all(...values(parameters))),
      run: (parameters) => run(() => statement.run(...values(parameters))),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    };
  }

  #watched<Result>(work: () => Result): Result {
    let result: Result;
    try {
      result = work();
    } catch (error) {
      throw this.#outcomes.failed(error);
    }
    this.#outcomes.succeeded();
    return result;
  }
}

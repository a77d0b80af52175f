import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { DatabaseFailure } from './database-failure.ts';
import type { SqliteStatements } from './sqlite-statements.ts';

/** For `npm run operator`, or a server that is stopping. */
const BUSY_TIMEOUT_MS = 2000;
const RETRY_AFTER_MS = 5;

/** Makes a migration one transaction, and waits for other processes without blocking this one. */
export class PatientSqliteDialect extends SqliteDialect {
  readonly #statements: SqliteStatements;

  constructor(statements: SqliteStatements) {
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

  /** A full disk may have ended it already. */
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

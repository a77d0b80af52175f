import { PostgresFailure } from './postgres-failure.ts';
import type { Query } from './query.ts';

/** What a session needs of the driver's connection. */
export interface Connection {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Ends it, whatever state it is in. */
  release(ends: true): void;
}

/**
 * One connection for as long as it lasts: what it has locked stays locked until it ends, and what it writes is written while
 * it holds that. All that is asked of it is done one after the other, so nothing gets into another's transaction.
 */
export class PostgresSession {
  readonly #connection: Connection;
  readonly #watched: <Result>(ask: () => Promise<Result>) => Promise<Result>;
  #turn: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** @param watched makes of what fails what is to be said of it */
  constructor(connection: Connection, watched: <Result>(ask: () => Promise<Result>) => Promise<Result>) {
    this.#connection = connection;
    this.#watched = watched;
    // Also between two queries; without a listener it would end the process.
    connection.on('error', () => this.#end());
  }

  /** False once the connection is lost or closed: what it had locked is anybody's. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  query: Query = (sql, values) => this.#inTurn(() => this.#ask(sql, values));

  /** All of the work or none. */
  within<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#ask('begin');
      try {
        const result = await work((sql, values) => this.#ask(sql, values));
        await this.#ask('commit');
        return result;
      } catch (failure) {
        // A transaction that cannot be ended must not take what comes next.
        await this.#ask('rollback').catch(() => this.#end());
        throw failure;
      }
    });
  }

  /** Waits for what is under way. What it has locked is free when this resolves. Never rejects. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#ask('select pg_advisory_unlock_all()')).catch(() => undefined);
    this.#end();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.catch(() => undefined).then(work);
    this.#turn = result;
    return result;
  }

  async #ask<Row extends Readonly<Record<string, unknown>>>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    try {
      return await this.#watched(async () => {
        if (this.#isOver) throw new Error('Connection terminated');
        return (await this.#connection.query(sql, [...values])).rows as Row[];
      });
    } catch (failure) {
      if (failure instanceof PostgresFailure && failure.isLost) this.#end();
      throw failure;
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.release(true);
  }
}

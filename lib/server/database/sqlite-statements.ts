import 'server-only';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Outcomes } from './outcomes.ts';

const PREPARED_MAX = 200;

/** A transaction takes the lock for writing when it begins. */
export class SqliteStatements implements SqliteDatabase {
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

import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { backOffMs, fullJitterMs } from '#lib/async/back-off.ts';
import { DatabaseFailure } from './database-failure.ts';
import type { DialectName } from './migrations/migration.ts';
import { CHANNEL, type NoticeListener, type Notices, type Topic } from './notices.ts';
import type { Query, Tables } from './tables.ts';

const TRIES_MAX = 20;
const CONFLICT_PAUSE = { firstMs: 2, maxMs: 100 };

export interface DatabaseParts {
  readonly dialect: DialectName;
  readonly where: string;
  readonly query: Kysely<Tables>;
  readonly notices: Notices;
  readonly health: { readonly failure: DatabaseFailure | undefined; written(): void };
  readonly stopChecks: () => void;
}

/** The change in whose callback code runs. Work that outlives the callback is no part of it. */
const changes = new AsyncLocalStorage<{ readonly database: Database; isOpen: boolean }>();

/**
 * The one database of Lookout, SQLite or PostgreSQL: single statements, serializable changes, and notices between
 * servers. Every statement rejects with a `DatabaseFailure` where the database is at fault. The owners of tables write
 * the statements.
 */
export class Database {
  readonly dialect: DialectName;
  readonly where: string;
  readonly #parts: DatabaseParts;

  constructor(parts: DatabaseParts) {
    this.dialect = parts.dialect;
    this.where = parts.where;
    this.#parts = parts;
  }

  /**
   * Runs single statements.
   * @throws Error within `change`: in SQLite the statement would wait for its own change, and in PostgreSQL it would not
   * belong to it
   */
  get query(): Kysely<Tables> {
    const change = changes.getStore();
    if (change?.isOpen && change.database === this)
      throw new Error('Within Database.change, statements use the query that it passes.');
    return this.#parts.query;
  }

  get failure(): DatabaseFailure | undefined {
    return this.#parts.health.failure;
  }

  /**
   * Runs a change that is serializable, and on disk when this resolves.
   * @param run only executes statements, since it runs again after a conflict
   */
  async change<Result>(run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        const transaction = this.query.transaction();
        const result = await (this.dialect === 'postgres'
          ? transaction.setIsolationLevel('serializable')
          : transaction
        ).execute((query) => this.#within(run, query));
        this.#parts.health.written();
        return result;
      } catch (error) {
        if (!isConflict(error) || tries >= TRIES_MAX) throw error;
        await delay(fullJitterMs(backOffMs(tries, CONFLICT_PAUSE), Math.random));
      }
    }
  }

  async #within<Result>(
    run: (query: Transaction<Tables>) => Promise<Result>,
    query: Transaction<Tables>,
  ): Promise<Result> {
    const change = { database: this, isOpen: true };
    try {
      return await changes.run(change, run, query);
    } finally {
      change.isOpen = false;
    }
  }

  /** Notifies listeners on commit. @param text at most 7,000 bytes */
  async notify(query: Query, topic: Topic, text = ''): Promise<void> {
    // Connections to a file see its changes themselves.
    if (this.dialect === 'postgres') await sql`select pg_notify(${CHANNEL}, ${`${topic} ${text}`})`.execute(query);
  }

  /** Listens as `Notices.listen` does, to `notify` of any connection. */
  listen(topic: Topic, listener: NoticeListener, form?: RegExp): () => void {
    return this.#parts.notices.listen(topic, listener, form);
  }

  /** Whether listeners have all notices older than a second; in SQLite, all notices. */
  get isCurrent(): boolean {
    return this.#parts.notices.isCurrent;
  }

  async check(): Promise<void> {
    await this.change((query) => sql`update migration_lock set is_locked = 0`.execute(query));
  }

  async close(): Promise<void> {
    this.#parts.stopChecks();
    await this.#parts.notices.close();
    await this.query
      .connection()
      .execute(async () => undefined)
      .catch(() => undefined);
    await this.query.destroy();
  }
}

function isConflict(error: unknown): boolean {
  const { code } = ((error instanceof DatabaseFailure ? error.cause : undefined) as { code?: unknown }) ?? {};
  return code === '40001' || code === '40P01';
}

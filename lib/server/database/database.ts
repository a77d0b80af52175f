import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { backOffMs, fullJitterMs } from '#lib/async/back-off.ts';
import { DatabaseFailure } from './database-failure.ts';
import type { DialectName } from './migrations/migration.ts';
import type { Hears, Notices, Topic } from './notices.ts';
import { CHANNEL } from './postgres-notices.ts';
import type { Query, Tables } from './tables/tables.ts';

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

/** Every statement rejects with a `DatabaseFailure` where the database is at fault. */
export class Database {
  readonly dialect: DialectName;
  readonly where: string;
  /** For single statements. Never use it within `change`. */
  readonly query: Kysely<Tables>;
  readonly #parts: DatabaseParts;

  constructor(parts: DatabaseParts) {
    this.dialect = parts.dialect;
    this.where = parts.where;
    this.query = parts.query;
    this.#parts = parts;
  }

  get failure(): DatabaseFailure | undefined {
    return this.#parts.health.failure;
  }

  /**
   * Serializable, and on disk when this resolves.
   * @param run only executes statements, since it runs again after a conflict
   */
  async change<Result>(run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        const transaction = this.query.transaction();
        const result = await (this.dialect === 'postgres'
          ? transaction.setIsolationLevel('serializable')
          : transaction
        ).execute(run);
        this.#parts.health.written();
        return result;
      } catch (error) {
        if (!isConflict(error) || tries >= TRIES_MAX) throw error;
        await delay(fullJitterMs(backOffMs(tries, CONFLICT_PAUSE), Math.random));
      }
    }
  }

  /** Notifies listeners on commit. @param text at most 7,000 bytes */
  async tell(query: Query, topic: Topic, text = ''): Promise<void> {
    // Connections to a file see its changes themselves.
    if (this.dialect === 'postgres') await sql`select pg_notify(${CHANNEL}, ${`${topic} ${text}`})`.execute(query);
  }

  /** As `Notices.listen`, of `tell` elsewhere. */
  listen(topic: Topic, hears: Hears, form?: RegExp): () => void {
    return this.#parts.notices.listen(topic, hears, form);
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

import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { DatabaseFailure } from './database-failure.ts';
import type { Hears, Notices } from './notices.ts';
import { CHANNEL } from './postgres-notices.ts';
import type { DialectName } from './tables/table-form.ts';
import type { Query, Tables } from './tables/tables.ts';

/** Of a change that met others. */
const TRIES_MAX = 20;
const CONFLICT_PAUSE_MAX_MS = 100;

export interface DatabaseParts {
  readonly dialect: DialectName;
  readonly where: string;
  readonly query: Kysely<Tables>;
  readonly notices: Notices;
  readonly health: { readonly failure: DatabaseFailure | undefined; written(): void };
}

/** The one database of all stores. Every statement rejects with a `DatabaseFailure` where the database is at fault. */
export class Database {
  readonly dialect: DialectName;
  /** For messages. */
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

  /** Why the database cannot be used at present. */
  get failure(): DatabaseFailure | undefined {
    return this.#parts.health.failure;
  }

  /**
   * Makes a change as if no other were under way: all of it is on disk when this resolves, or nothing was changed.
   * @param run does nothing but statements of its argument, as it runs again where another change came between
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
        await delay(Math.random() * Math.min(CONFLICT_PAUSE_MAX_MS, 2 ** tries));
      }
    }
  }

  /** Tells every listener of the topic when the transaction is committed. @param text at most 7,000 bytes */
  async tell(query: Query, topic: string, text = ''): Promise<void> {
    // The other connections of a file learn from the file that it has changed.
    if (this.dialect === 'postgres') await sql`select pg_notify(${CHANNEL}, ${`${topic} ${text}`})`.execute(query);
  }

  /** Calls `hears` within a second of each `tell` of the topic by another server or process. @returns what ends that */
  listen(topic: string, hears: Hears): () => void {
    return this.#parts.notices.listen(topic, hears);
  }

  /** Whether listeners have received all notices older than a second; in SQLite, all notices. */
  get isCurrent(): boolean {
    return this.#parts.notices.isCurrent;
  }

  /** Writes, to learn whether that is possible. */
  async check(): Promise<void> {
    await this.change((query) => sql`update migration_lock set is_locked = 0`.execute(query));
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#parts.notices.close();
    await this.query
      .connection()
      .execute(async () => undefined)
      .catch(() => undefined);
    await this.query.destroy();
  }
}

/** Another transaction came between: serialization_failure, deadlock_detected. */
function isConflict(error: unknown): boolean {
  const { code } = ((error instanceof DatabaseFailure ? error.cause : undefined) as { code?: unknown }) ?? {};
  return code === '40001' || code === '40P01';
}

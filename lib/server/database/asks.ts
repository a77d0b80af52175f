import 'server-only';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod/mini';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from './database.ts';
import { DATABASE_NOW_MS } from './database-clock.ts';
import { CHANNEL, type Topic } from './notices.ts';

/** No server waits for an answer longer than a second. */
const OPEN_MS = 2 * SECOND_MS;
const KEPT_MS = 10 * SECOND_MS;

/**
 * Questions between servers are rows of PostgreSQL: a notice is only a hint to read them, since any role that may
 * connect can send one. Methods reject with `DatabaseFailure`.
 */
export class Asks<Body> {
  readonly #database: Database;
  readonly #topic: Topic;
  readonly #schema: z.ZodMiniType<Body>;

  constructor(database: Database, topic: Topic, schema: z.ZodMiniType<Body>) {
    this.#database = database;
    this.#topic = topic;
    this.#schema = schema;
  }

  /** @param read reads `open`, or `answered` @returns the end of listening */
  onChange(read: () => void): () => void {
    return this.#database.listen(this.#topic, read);
  }

  async ask(body: Body, id: string = randomUUID()): Promise<void> {
    await sql`
      with gone as (delete from server_ask where asked_ms < ${DATABASE_NOW_MS} - ${KEPT_MS}),
      put as (
        insert into server_ask (id, topic, body, asked_ms, answered)
        values (${id}, ${this.#topic}, ${JSON.stringify(body)}, ${DATABASE_NOW_MS}, 0) returning 1
      )
      select pg_notify(${CHANNEL}, ${`${this.#topic} `}) from put
    `.execute(this.#database.query);
  }

  async open(): Promise<readonly { readonly id: string; readonly body: Body }[]> {
    const rows = await this.#database.query
      .selectFrom('server_ask')
      .select(['id', 'body'])
      .where('topic', '=', this.#topic)
      .where('answered', '=', 0)
      .where('asked_ms', '>', sql<number>`${DATABASE_NOW_MS} - ${sql.lit(OPEN_MS)}`)
      .orderBy('asked_ms')
      .execute();
    return rows.flatMap(({ id, body }) => {
      const read = this.#schema.safeParse(jsonOf(body));
      return read.success ? [{ id, body: read.data }] : [];
    });
  }

  /** @returns whether this server is the first to answer */
  async answer(id: string): Promise<boolean> {
    const { rows } = await sql`
      with put as (update server_ask set answered = 1 where id = ${id} and answered = 0 returning 1)
      select pg_notify(${CHANNEL}, ${`${this.#topic} `}) from put
    `.execute(this.#database.query);
    return rows.length > 0;
  }

  async answered(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database.query
      .selectFrom('server_ask')
      .select('id')
      .where('id', 'in', ids)
      .where('answered', '=', 1)
      .execute();
    return rows.map(({ id }) => id);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

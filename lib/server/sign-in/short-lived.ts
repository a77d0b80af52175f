import 'server-only';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { digest } from './digest.ts';

export const SHORT_LIVED_MS = {
  challenge: 5 * MINUTE_MS,
  confirmation: 5 * MINUTE_MS,
  'ended-login': 10 * MINUTE_MS,
} as const;

export interface ShortLivedName {
  readonly kind: keyof typeof SHORT_LIVED_MS;
  /** The text is unchecked: it may have any length and any characters. */
  readonly of: string;
}

/** So many of each kind are kept; the oldest are deleted. */
const KEPT_MAX = 20_000;
/** A sender's flood deletes only its own. */
export const SHORT_LIVED_OF_SENDER_MAX = 64;
/** The clocks of two servers may differ by so much. */
const SKEW_MS = MINUTE_MS;
const KEEPS_BETWEEN_PRUNES = 100;

/** Values for a short time, shared by all servers and bounded. Every method rejects with a `DatabaseFailure`. */
export class ShortLived {
  readonly #database: Database;
  readonly #now: () => LocalInstant;
  #keeps = 0;

  constructor(database: Database, now: () => LocalInstant) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Keeps a value, and restarts the time of a known one.
   * @param sender whose oldest are deleted
   * @returns true for one of several simultaneous calls
   */
  keep(name: ShortLivedName, value: string, sender?: string): Promise<boolean> {
    return this.#keep(name, value, sender === undefined ? null : digest(sender));
  }

  async read(name: ShortLivedName): Promise<string | undefined> {
    const row = await this.#database.query
      .selectFrom('short_lived')
      .select('value')
      .where('kind', '=', name.kind)
      .where('of_digest', '=', digest(name.of))
      .where('kept_ms', '>', this.#tooOldMs(name))
      .where('kept_ms', '<=', this.#nowMs + SKEW_MS)
      .executeTakeFirst();
    return row && (JSON.parse(row.value) as string);
  }

  /** Takes the value: only one of several callers gets it. */
  async take(name: ShortLivedName): Promise<string | undefined> {
    const row = await this.#database.query
      .deleteFrom('short_lived')
      .where('kind', '=', name.kind)
      .where('of_digest', '=', digest(name.of))
      .returning(['value', 'kept_ms'])
      .executeTakeFirst();
    const isAlive = row && row.kept_ms > this.#tooOldMs(name) && row.kept_ms <= this.#nowMs + SKEW_MS;
    return isAlive ? (JSON.parse(row.value) as string) : undefined;
  }

  get #nowMs(): number {
    return Math.floor(epochMs(this.#now()));
  }

  #tooOldMs({ kind }: Pick<ShortLivedName, 'kind'>): number {
    return this.#nowMs - SHORT_LIVED_MS[kind];
  }

  /** It runs single statements, since a transaction would conflict with other sign-ins. */
  async #keep({ kind, of }: ShortLivedName, value: string, sender: string | null): Promise<boolean> {
    const { query } = this.#database;
    const kept = {
      value: JSON.stringify(value),
      sender,
      kept_ms: this.#nowMs,
      number: ++this.#keeps,
    } satisfies Partial<Tables['short_lived']>;
    if (this.#keeps % KEEPS_BETWEEN_PRUNES === 1) await this.#prune(kind);
    await query
      .deleteFrom('short_lived')
      .where('kind', '=', kind)
      .where('of_digest', '=', digest(of))
      .where('kept_ms', '<=', this.#tooOldMs({ kind }))
      .execute();
    const row = { kind, of_digest: digest(of), ...kept };
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('short_lived')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    const isNew = Number(numInsertedOrUpdatedRows) > 0;
    if (!isNew)
      await query
        .updateTable('short_lived')
        .set(kept)
        .where('kind', '=', kind)
        .where('of_digest', '=', row.of_digest)
        .execute();
    if (sender !== null) await this.#makeWay(kind, sender);
    return isNew;
  }

  async #makeWay(kind: string, sender: string): Promise<void> {
    await this.#database.query
      .deleteFrom('short_lived')
      .where('kind', '=', kind)
      .where('of_digest', 'in', (each) =>
        each
          .selectFrom('short_lived')
          .select('of_digest')
          .where('kind', '=', kind)
          .where('sender', '=', sender)
          .orderBy('kept_ms', 'desc')
          .orderBy('number', 'desc')
          .limit(KEPT_MAX)
          .offset(SHORT_LIVED_OF_SENDER_MAX),
      )
      .execute();
  }

  async #prune(kind: ShortLivedName['kind']): Promise<void> {
    const { query } = this.#database;
    const beyond = await query
      .selectFrom('short_lived')
      .select('kept_ms')
      .where('kind', '=', kind)
      .orderBy('kept_ms', 'desc')
      .limit(1)
      .offset(KEPT_MAX)
      .executeTakeFirst();
    const beforeMs = Math.max(this.#tooOldMs({ kind }) - SKEW_MS, beyond?.kept_ms ?? 0);
    await query.deleteFrom('short_lived').where('kind', '=', kind).where('kept_ms', '<=', beforeMs).execute();
  }
}

import 'server-only';
import { randomUUID } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { failureReasonSchema } from '#lib/api/layer-reason.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { DATABASE_NOW_MS as nowMs } from '../../database/database-clock.ts';
import type { Tables } from '../../database/tables.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { UpstreamClock } from '../../upstream/upstream-clock.ts';
import { type LayerPart, type PartOutcome, packedReception, packReception, withReception } from './history-part.ts';

/** A reader or writer without a renewal for this long is gone. */
export const GONE_MS = 5 * SECOND_MS;
export const RENEW_EVERY_MS = SECOND_MS;
/** An answer that no reader took is deleted after this. */
const ANSWER_KEPT_MS = MINUTE_MS;
const WANTED = 'wanted-part';
const ANSWERED = 'answered-part';
const ID = /^[\da-f-]{36}$/;

export type WantedPart = Selectable<Tables['wanted_part']>;
/** The row, without the columns that the database adds. */
export type NewWant = Omit<Insertable<Tables['wanted_part']>, 'account' | 'server' | 'asked_ms' | 'taken_ms'>;
export type AnsweredPart = PartAnswer & { readonly id: string };

/**
 * The wanted parts are rows in PostgreSQL. A wanted part is in one of the two tables, or was lost. Every call rejects
 * with `DatabaseFailure`.
 */
export class WantedParts {
  readonly #database: Database;
  readonly #account: string;
  /** The name of this process. */
  readonly #server = randomUUID();

  constructor(database: Database, account: string) {
    this.#database = database;
    this.#account = account;
  }

  /** @returns ends the subscription */
  onWanted(changed: () => void): () => void {
    return this.#database.listen(WANTED, changed);
  }

  /** @param answered `undefined` where any may have been answered */
  onAnswered(answered: (id: string | undefined) => void): () => void {
    return this.#database.listen(ANSWERED, answered, ID);
  }

  async want(wants: readonly NewWant[]): Promise<void> {
    const own = { account: this.#account, server: this.#server, asked_ms: nowMs, taken_ms: nowMs };
    await this.#database.change(async (query) => {
      await query
        .insertInto('wanted_part')
        .values(wants.map((want) => ({ ...want, ...own })))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      await this.#database.notify(query, WANTED);
    });
  }

  async cancel(ids: readonly string[]): Promise<void> {
    await this.#database.change(async (query) => {
      await query.deleteFrom('wanted_part').where('id', 'in', ids).execute();
      await query.deleteFrom('answered_part').where('id', 'in', ids).execute();
      await this.#database.notify(query, WANTED);
    });
  }

  /** @returns the time since the writer's last sign of life */
  async renewWanted(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.query
      .updateTable('wanted_part')
      .set({ asked_ms: nowMs })
      .where('id', 'in', ids)
      .returning(['id', sql<number>`${nowMs} - taken_ms`.as('silent_ms')])
      .execute();
    return new Map(rows.map(({ id, silent_ms }) => [id, silent_ms]));
  }

  /** @param id default: all of this server */
  async takeAnswers(id?: string): Promise<readonly AnsweredPart[]> {
    const answers = this.#database.query.deleteFrom('answered_part').where('server', '=', this.#server);
    return await (id === undefined ? answers : answers.where('id', '=', id))
      .returning(['id', 'outcome', 'body'])
      .execute();
  }

  /** @param taken being read by this server, the writer */
  async wanted(taken: readonly string[]): Promise<readonly WantedPart[]> {
    const { query } = this.#database;
    if (taken.length > 0)
      await query.updateTable('wanted_part').set({ taken_ms: nowMs }).where('id', 'in', taken).execute();
    await query.deleteFrom('wanted_part').where('asked_ms', '<', msAgo(GONE_MS)).execute();
    return await query
      .selectFrom('wanted_part')
      .where('account', '=', this.#account)
      .selectAll()
      .orderBy('asked_ms')
      .execute();
  }

  async answer({ id, server }: WantedPart, { outcome, body }: PartAnswer): Promise<void> {
    await this.#database.change(async (query) => {
      const { numDeletedRows } = await query.deleteFrom('wanted_part').where('id', '=', id).executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
      await query.insertInto('answered_part').values({ id, server, outcome, body, answered_ms: nowMs }).execute();
      await this.#database.notify(query, ANSWERED, id);
    });
  }

  async forgetAnswers(): Promise<void> {
    const { query } = this.#database;
    await query.deleteFrom('answered_part').where('answered_ms', '<', msAgo(ANSWER_KEPT_MS)).execute();
  }
}

function msAgo(ms: number) {
  return sql<number>`${nowMs} - ${sql.lit(ms)}`;
}

/** A read as the writer hands it over. Cooldowns end in upstream time: each server has its own clock. */
export interface PartAnswer {
  readonly outcome: string;
  readonly body: Uint8Array | null;
}

const cooldownSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('timed'), reason: failureReasonSchema, until: z.number().transform(upstreamInstant) }),
  z.object({ kind: z.literal('latched'), reason: z.enum(['key_refused', 'request_rejected']) }),
  z.object({ kind: z.literal('reserved'), reason: z.literal('allowance_used_up') }),
]);

const count = z.int().nonnegative();
const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('part'),
    requests: count,
    records: count,
    truncated: z.boolean(),
    unreadable: count,
    isSettled: z.boolean(),
    reception: packedReception.optional(),
  }),
  z.object({ kind: z.literal('blocked'), requests: count, cooldown: cooldownSchema }),
  z.object({ kind: z.literal('failed') }),
]);

export const FAILED: PartAnswer = { outcome: JSON.stringify({ kind: 'failed' }), body: null };

/** @param isSettled whether the writer has cached the part */
export function writeAnswer(outcome: PartOutcome, isSettled: boolean, clock: UpstreamClock): PartAnswer {
  const { requests } = outcome;
  if (outcome.kind === 'blocked') {
    const { cooldown } = outcome;
    const sent = cooldown.kind === 'timed' ? { ...cooldown, until: clock.fromLocal(cooldown.until) } : cooldown;
    return { outcome: JSON.stringify({ kind: 'blocked', requests, cooldown: sent }), body: null };
  }
  const { records, truncated, unreadable, body } = outcome.part;
  const reception = packReception(outcome.part);
  return {
    outcome: JSON.stringify({ kind: 'part', requests, records, truncated, unreadable, isSettled, reception }),
    body,
  };
}

/** @throws Error where the writer failed, or has another version */
export function readAnswer(
  { outcome: text, body }: PartAnswer,
  { layer, bbox, window }: LayerPart,
  clock: UpstreamClock,
): { readonly outcome: PartOutcome; readonly isSettled: boolean } {
  const outcome = outcomeSchema.parse(JSON.parse(text));
  if (outcome.kind === 'failed') throw new Error('the writer failed to read a part of the past');
  const { requests } = outcome;
  if (outcome.kind === 'blocked') {
    const { cooldown } = outcome;
    const own: Cooldown = cooldown.kind === 'timed' ? { ...cooldown, until: clock.toLocal(cooldown.until) } : cooldown;
    return { outcome: { kind: 'blocked', requests, cooldown: own }, isSettled: false };
  }
  if (!body) throw new Error('the answer of the writer has no body');
  const { records, truncated, unreadable, isSettled, reception = [] } = outcome;
  // A copy keeps no larger buffer of the driver.
  const own = Uint8Array.from(body);
  const part = withReception({ layer, bbox, window, records, truncated, unreadable, body: own }, reception);
  return { outcome: { kind: 'part', requests, part }, isSettled };
}

import 'server-only';
import type { Transaction } from 'kysely';
import { type BackOff, backOffMs, fullJitterMs, halfJitterMs } from '#lib/async/back-off.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';
import type { SendFailure } from '../senders/sender.ts';
import { giveUpWaiting, switchOff } from './give-up.ts';
import type { DeliveryRow } from './notice-of.ts';

/** In memory. */
const PAGE = 20;
/** Then the others no longer wait for a notice at which the server fails. */
const TRIES_BEFORE_ASIDE = 5;
const ASIDE_MS = 15 * MINUTE_MS;
const RETRY = { firstMs: 5 * SECOND_MS, maxMs: 15 * MINUTE_MS };
const RETRY_MIN_MS = SECOND_MS;
/** Of a wait that the destination asks for: a mistake there must not take the day of a notice. */
const ASKED_MAX_MS = HOUR_MS;
/** A recipient that is refused all day, such as a mistyped one, costs few tries. */
const PARTLY_LONGEST_MS = HOUR_MS;

export interface QueueStoreOptions {
  readonly database: Database;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly random: () => number;
}

/** Rows of one destination. Methods reject with `DatabaseFailure`; those with a fence also with `LeaseLost`. */
export class QueueStore {
  readonly #id: string;
  readonly #options: QueueStoreOptions;

  constructor(destinationId: string, options: QueueStoreOptions) {
    this.#id = destinationId;
    this.#options = options;
  }

  get nowMs(): number {
    return Math.floor(epochMs(this.#options.now()));
  }

  due(): Promise<readonly DeliveryRow[]> {
    return this.#options.database.query
      .selectFrom('delivery')
      .selectAll()
      .where('destination_id', '=', this.#id)
      .where('state', '=', 'waiting')
      .where('due_ms', '<=', this.nowMs)
      .where((where) => where.or([where('aside_until_ms', 'is', null), where('aside_until_ms', '<=', this.nowMs)]))
      .orderBy('due_ms')
      .orderBy('number')
      .limit(PAGE)
      .execute();
  }

  async mayTry(): Promise<boolean> {
    const health = await this.#health(this.#options.database.query);
    return (health?.next_try_ms ?? 0) <= this.nowMs;
  }

  arrived({ id, tries }: DeliveryRow, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      const arrived = { state: 'arrived', arrived_ms: this.nowMs, tries: tries + 1, problem: null };
      await query.updateTable('delivery').set(arrived).where('id', '=', id).execute();
      await this.#setHealth(query, {
        problem_since_ms: null,
        problem: null,
        failures: 0,
        next_try_ms: null,
        last_arrived_ms: this.nowMs,
      });
    });
  }

  /** It is tried again. @returns whether the next may be tried at once */
  failed({ id, tries }: DeliveryRow, failure: SendFailure, problem: string, fence: number): Promise<boolean> {
    const { kind, retryAfterMs: askedMs = 0 } = failure;
    const asideMs = this.#asideMs(kind, tries + 1);
    const isNext = asideMs !== undefined && askedMs === 0;
    return this.#write(fence, async (query) => {
      await query
        .updateTable('delivery')
        .set({ tries: tries + 1, problem })
        .$if(asideMs !== undefined, (update) => update.set({ aside_until_ms: Math.ceil(this.nowMs + (asideMs ?? 0)) }))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
      const health = await this.#health(query);
      const before = health?.failures ?? 0;
      const failures = kind === 'partly' ? 0 : asideMs === undefined ? before + 1 : before;
      await this.#setHealth(query, {
        problem,
        failures,
        problem_since_ms: health?.problem_since_ms ?? this.nowMs,
        next_try_ms: isNext
          ? null
          : this.nowMs + Math.max(Math.min(askedMs ?? 0, ASKED_MAX_MS), this.#retryMs(Math.max(1, failures), RETRY)),
      });
      return isNext;
    });
  }

  /** @returns for how long others are sent in its place; `undefined`: they wait for it */
  #asideMs(kind: SendFailure['kind'], tries: number): number | undefined {
    if (kind === 'partly') return this.#retryMs(tries, { firstMs: RETRY.firstMs, maxMs: PARTLY_LONGEST_MS });
    const isAside = kind === 'failed' && tries >= TRIES_BEFORE_ASIDE;
    return isAside ? halfJitterMs(ASIDE_MS, this.#options.random) : undefined;
  }

  #retryMs(failures: number, times: BackOff): number {
    return Math.max(RETRY_MIN_MS, fullJitterMs(backOffMs(failures, times), this.#options.random));
  }

  /** It says nothing about the destination. */
  giveUp({ id }: DeliveryRow, problem: string, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      const set = { state: 'given_up', problem };
      await query.updateTable('delivery').set(set).where('id', '=', id).where('state', '=', 'waiting').execute();
    });
  }

  /** @param problem of the connection; null: it works, which leaves the problem of a notice that waits */
  connection(problem: string | null, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      const health = await this.#health(query);
      if (problem !== null)
        await this.#setHealth(query, { problem, problem_since_ms: health?.problem_since_ms ?? this.nowMs });
      else if (health?.failures === 0) await this.#setHealth(query, { problem: null, problem_since_ms: null });
    });
  }

  /** @returns how many notices were given up */
  switchOff(reason: string, fence: number): Promise<number> {
    return this.#write(fence, (query) => switchOff(query, this.#id, reason, this.nowMs));
  }

  /** @returns how many */
  giveUpDueBefore(beforeMs: number, problem: string, fence: number): Promise<number> {
    return this.#write(fence, (query) => giveUpWaiting(query, this.#id, problem, beforeMs));
  }

  #health(query: Query) {
    return query.selectFrom('destination_health').selectAll().where('destination_id', '=', this.#id).executeTakeFirst();
  }

  async #setHealth(query: Query, health: Partial<Tables['destination_health']>): Promise<void> {
    await query
      .insertInto('destination_health')
      .values({ failures: 0, ...health, destination_id: this.#id })
      .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(health))
      .execute();
  }

  #write<Result>(fence: number, run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { database } = this.#options;
    return database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      return run(query);
    });
  }
}

import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import { LeaseLost, requireLease } from '../../database/tables/require-lease.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { StoredDestination } from '../destinations/destination-row.ts';
import { type Sender, SendFailure } from '../senders/sender.ts';
import { backOffMs } from './back-off.ts';
import { endDeliveries, giveUpWaiting } from './give-up.ts';
import { type DeliveryRow, noticeOf } from './notice-of.ts';

/** In memory. */
const PAGE = 20;
/** A sender that does not answer at all. */
const SEND_MS = 30 * SECOND_MS;
const CLOSE_MS = 2 * SECOND_MS;
const PROBLEM_MAX_LENGTH = 300;

export interface QueueOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly random: () => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly publicOrigin: string | undefined;
  readonly audit: (event: AuditEvent) => void;
}

/** Sends the notices of one destination in order, each until it arrived, was refused, or is a day old. */
export class DestinationQueue {
  readonly destination: StoredDestination;
  readonly #sender: Sender;
  readonly #options: QueueOptions;
  readonly #abort = new AbortController();
  /** It arrived, but the database could not be written since. */
  #unrecorded: string | undefined;
  #running: Promise<void> | undefined;

  constructor(destination: StoredDestination, sender: Sender, options: QueueOptions) {
    this.destination = destination;
    this.#sender = sender;
    this.#options = options;
  }

  /** Sends what is due, unless it does already. */
  drain(fence: number): void {
    this.#running ??= this.#drain(fence)
      .catch((error: unknown) => {
        if (error instanceof DatabaseFailure || error instanceof LeaseLost) return;
        this.#options.log.error({ err: error, destination: this.destination.name }, 'notices cannot be delivered');
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  /** Ends the running request. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await Promise.race([this.#sender.close(), delay(CLOSE_MS, undefined, { ref: false })]);
  }

  async #drain(fence: number): Promise<void> {
    while (this.#mayGoOn(fence)) {
      const health = await this.#health();
      if ((health?.next_try_ms ?? 0) > this.#nowMs()) return;
      await this.#giveUpOld(fence);
      const rows = await this.#due();
      if (rows.length === 0) return;
      for (const row of rows) if (!this.#mayGoOn(fence) || !(await this.#try(row, fence))) return;
    }
  }

  /** @returns whether the next may be tried */
  async #try(row: DeliveryRow, fence: number): Promise<boolean> {
    const failure = this.#unrecorded === row.id ? undefined : await this.#send(row);
    if (failure === 'closed') return false;
    if (!failure) {
      this.#unrecorded = row.id;
      await this.#write(fence, (query) => this.#arrived(query, row));
      this.#unrecorded = undefined;
      return true;
    }
    const problem = failure.message.slice(0, PROBLEM_MAX_LENGTH);
    if (failure.kind === 'gone') return this.#switchOff(problem, fence);
    await this.#write(fence, (query) => this.#failed(query, row, failure, problem));
    if (failure.kind === 'refused') this.#gaveUp(1, problem);
    return failure.kind === 'refused';
  }

  async #send(row: DeliveryRow): Promise<SendFailure | 'closed' | undefined> {
    const { database, publicOrigin, now, log } = this.#options;
    const notice = await noticeOf(database.query, row, this.destination, publicOrigin, now());
    if (!notice) return new SendFailure('refused', 'Its alarms are deleted.');
    // Not AbortSignal.timeout: thousands of them would outlive their requests.
    const { signal, abort } = this.#sending();
    try {
      await Promise.race([this.#sender.send(notice, signal), rejectedAt(signal)]);
      return undefined;
    } catch (error) {
      if (this.#abort.signal.aborted) return 'closed';
      if (error instanceof SendFailure) return error;
      if (signal.aborted) return new SendFailure('retry', 'It did not answer in time.');
      log.error({ err: error, destination: this.destination.name }, 'a notice could not be sent');
      return new SendFailure('retry', 'A defect of Lookout; its log has the details.');
    } finally {
      abort();
    }
  }

  #sending(): { readonly signal: AbortSignal; readonly abort: () => void } {
    const controller = new AbortController();
    const abort = () => {
      clearTimeout(timer);
      this.#abort.signal.removeEventListener('abort', abort);
      controller.abort();
    };
    const timer = setTimeout(abort, SEND_MS).unref();
    this.#abort.signal.addEventListener('abort', abort);
    return { signal: controller.signal, abort };
  }

  async #arrived(query: Transaction<Tables>, row: DeliveryRow): Promise<void> {
    const nowMs = this.#nowMs();
    await query
      .updateTable('delivery')
      .set({ state: 'arrived', arrived_ms: nowMs, tries: row.tries + 1, problem: null })
      .where('id', '=', row.id)
      .execute();
    await this.#setHealth(query, {
      ...{ problem_since_ms: null, problem: null, failures: 0, next_try_ms: null },
      last_arrived_ms: nowMs,
    });
  }

  async #failed(query: Transaction<Tables>, row: DeliveryRow, failure: SendFailure, problem: string): Promise<void> {
    const isRefused = failure.kind === 'refused';
    await query
      .updateTable('delivery')
      .set({ state: isRefused ? 'given_up' : 'waiting', tries: row.tries + 1, problem })
      .where('id', '=', row.id)
      .where('state', '=', 'waiting')
      .execute();
    const health = await this.#health(query);
    const failures = isRefused ? 0 : (health?.failures ?? 0) + 1;
    const waitMs = isRefused ? undefined : backOffMs(failures, this.#options.random, failure.retryAfterMs);
    await this.#setHealth(query, {
      ...{ problem, failures, problem_since_ms: health?.problem_since_ms ?? this.#nowMs() },
      next_try_ms: waitMs === undefined ? null : this.#nowMs() + waitMs,
    });
  }

  async #switchOff(reason: string, fence: number): Promise<false> {
    const { id, name } = this.destination;
    const notices = await this.#write(fence, async (query) => {
      await query
        .updateTable('destination')
        .set((each) => ({
          ...{ is_on: 0, switched_off_ms: this.#nowMs(), switched_off_reason: reason },
          revision: each('revision', '+', 1),
        }))
        .where('id', '=', id)
        .execute();
      return endDeliveries(query, id, `Switched off: ${reason}`);
    });
    this.#options.audit({ kind: 'destination_switched_off', destination: name, why: reason });
    this.#gaveUp(notices, reason);
    return false;
  }

  async #giveUpOld(fence: number): Promise<void> {
    const beforeMs = this.#nowMs() - DAY_MS;
    const [oldest] = await this.#due();
    if (!oldest || oldest.due_ms >= beforeMs) return;
    const reason = 'It did not arrive within a day.';
    const keep = oldest.problem === null ? reason : `${reason} ${oldest.problem}`.slice(0, PROBLEM_MAX_LENGTH);
    this.#gaveUp(await this.#write(fence, (query) => giveUpWaiting(query, this.destination.id, keep, beforeMs)), keep);
  }

  #gaveUp(notices: number, reason: string): void {
    if (notices === 0) return;
    this.#options.audit({ kind: 'delivery_given_up', destination: this.destination.name, notices, why: reason });
  }

  #due(): Promise<readonly DeliveryRow[]> {
    return this.#options.database.query
      .selectFrom('delivery')
      .selectAll()
      .where('destination_id', '=', this.destination.id)
      .where('state', '=', 'waiting')
      .where('due_ms', '<=', this.#nowMs())
      .orderBy('due_ms')
      .orderBy('number')
      .limit(PAGE)
      .execute();
  }

  #health(query: Database['query'] | Transaction<Tables> = this.#options.database.query) {
    return query
      .selectFrom('destination_health')
      .selectAll()
      .where('destination_id', '=', this.destination.id)
      .executeTakeFirst();
  }

  async #setHealth(query: Transaction<Tables>, health: Partial<Tables['destination_health']>): Promise<void> {
    const { id: destination_id } = this.destination;
    await query
      .insertInto('destination_health')
      .values({ failures: 0, ...health, destination_id })
      .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(health))
      .execute();
  }

  /** @throws LeaseLost */
  #write<Result>(fence: number, run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { database } = this.#options;
    return database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      return run(query);
    });
  }

  #mayGoOn(fence: number): boolean {
    return !this.#abort.signal.aborted && this.#options.lease.fence === fence;
  }

  #nowMs(): number {
    return Math.floor(epochMs(this.#options.now()));
  }
}

function rejectedAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

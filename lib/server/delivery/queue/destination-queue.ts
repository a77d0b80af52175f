import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { Part, Supervisor } from '../../supervision/supervisor.ts';
import type { StoredDestination } from '../destinations/destination-row.ts';
import { type Sender, SendFailure } from '../senders/sender.ts';
import { type DeliveryRow, noticeOf } from './notice-of.ts';
import { QueueStore, type QueueStoreOptions } from './queue-store.ts';

/** A sender that does not answer at all. */
const SEND_MS = 30 * SECOND_MS;
const CLOSE_MS = 2 * SECOND_MS;
const PROBLEM_MAX_LENGTH = 300;

export interface QueueOptions extends QueueStoreOptions {
  readonly lease: WriterLease;
  readonly supervisor: Pick<Supervisor, 'part'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly publicOrigin: string | undefined;
  readonly audit: (event: AuditEvent) => void;
}

/**
 * Sends the notices of one destination, each until it arrived or is a day old. In order, except for those that were set
 * aside.
 */
export class DestinationQueue {
  readonly destination: StoredDestination;
  readonly #sender: Sender;
  readonly #options: QueueOptions;
  readonly #store: QueueStore;
  readonly #part: Part;
  readonly #abort = new AbortController();
  /** It arrived, but the database could not be written since. */
  #unrecorded: string | undefined;
  /** Of the connection. */
  #shownProblem: string | null | undefined;
  /** The last notice failed by an unexpected error, and is tried again later. */
  #hasDefect = false;
  #running: Promise<void> | undefined;

  constructor(destination: StoredDestination, sender: Sender, options: QueueOptions) {
    this.destination = destination;
    this.#sender = sender;
    this.#options = options;
    this.#store = new QueueStore(destination.id, options);
    this.#part = options.supervisor.part('delivery', destination.id);
  }

  /** Sends what is due, unless it does already. */
  drain(fence: number): void {
    this.#running ??= this.#drainSupervised(fence).finally(() => {
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
    this.#part.end();
    await Promise.race([this.#sender.close(), delay(CLOSE_MS, undefined, { ref: false })]);
  }

  async #drainSupervised(fence: number): Promise<void> {
    try {
      await this.#drain(fence);
      if (!this.#hasDefect) this.#part.worked();
    } catch (error) {
      this.#part.failed(error);
    }
  }

  async #drain(fence: number): Promise<void> {
    await this.#showConnection(fence);
    while (this.#mayGoOn(fence) && (await this.#store.mayTry())) {
      await this.#giveUpOld(fence);
      const rows = await this.#store.due();
      if (rows.length === 0) return;
      for (const row of rows) if (!this.#mayGoOn(fence) || !(await this.#try(row, fence))) return;
    }
  }

  async #showConnection(fence: number): Promise<void> {
    const { problem } = this.#sender;
    if (problem === undefined || problem === this.#shownProblem) return;
    await this.#store.connection(problem?.slice(0, PROBLEM_MAX_LENGTH) ?? null, fence);
    this.#shownProblem = problem;
  }

  /** @returns whether the next may be tried */
  async #try(row: DeliveryRow, fence: number): Promise<boolean> {
    const failure = this.#unrecorded === row.id ? undefined : await this.#send(row);
    if (failure === 'closed') return false;
    if (failure === 'void') return this.#drop(row, fence);
    if (!failure) {
      this.#unrecorded = row.id;
      await this.#store.arrived(row, fence);
      this.#unrecorded = undefined;
      this.#shownProblem = undefined;
      return true;
    }
    const problem = failure.message.slice(0, PROBLEM_MAX_LENGTH);
    if (failure.kind === 'gone') return this.#switchOff(problem, fence);
    return this.#store.failed(row, failure, problem, fence);
  }

  async #drop(row: DeliveryRow, fence: number): Promise<true> {
    const why = 'Its alarms are deleted.';
    await this.#store.giveUp(row, why, fence);
    this.#gaveUp(1, why);
    return true;
  }

  /** @returns `void`: nothing is left to be sent */
  async #send(row: DeliveryRow): Promise<SendFailure | 'closed' | 'void' | undefined> {
    const { database, publicOrigin, now } = this.#options;
    const notice = await noticeOf(database.query, row, this.destination, publicOrigin, now());
    if (!notice) return 'void';
    // Not AbortSignal.timeout: thousands of them would outlive their requests.
    const { signal, abort } = this.#sending();
    try {
      await Promise.race([this.#sender.send(notice, signal), rejectedAt(signal)]);
      this.#hasDefect = false;
      return undefined;
    } catch (error) {
      if (this.#abort.signal.aborted) return 'closed';
      if (error instanceof SendFailure) return error;
      if (signal.aborted) return new SendFailure('retry', 'It did not answer in time.');
      this.#hasDefect = true;
      this.#part.failed(error);
      return new SendFailure('failed', 'A defect of Lookout; its log has the details.');
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

  async #switchOff(why: string, fence: number): Promise<false> {
    const notices = await this.#store.switchOff(why, fence);
    this.#options.log.warn({ destination: this.destination.name, why }, 'a destination was switched off');
    this.#options.audit({ kind: 'destination_switched_off', destination: this.destination.name, why });
    this.#gaveUp(notices, why);
    return false;
  }

  async #giveUpOld(fence: number): Promise<void> {
    const beforeMs = this.#store.nowMs - DAY_MS;
    const [oldest] = await this.#store.due();
    if (!oldest || oldest.due_ms >= beforeMs) return;
    const why = `It did not arrive within a day. ${oldest.problem ?? ''}`.trimEnd().slice(0, PROBLEM_MAX_LENGTH);
    this.#gaveUp(await this.#store.giveUpDueBefore(beforeMs, why, fence), why);
  }

  #gaveUp(notices: number, why: string): void {
    if (notices === 0) return;
    this.#hasDefect = false;
    this.#options.audit({ kind: 'delivery_given_up', destination: this.destination.name, notices, why });
  }

  #mayGoOn(fence: number): boolean {
    return !this.#abort.signal.aborted && this.#options.lease.fence === fence;
  }
}

function rejectedAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

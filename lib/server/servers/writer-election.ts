import 'server-only';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Coalesced } from '#lib/async/coalesced.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DATABASE_NOW_MS } from '../database/database-clock.ts';
import type { WriterLease } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';

/** A killed writer is replaced after this and one beat at most. */
const LEASE_MS = 4 * SECOND_MS;
const BEAT_MS = 500;
/** The writer gives up this early, since clocks differ in speed. */
const MARGIN_MS = 200;
const TOPIC = 'lease';

export interface WriterElectionOptions {
  readonly database: Database;
  readonly name: string;
  readonly part: Part;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Elects by a row that is leased by the database's clock. Fences are also times, so a standby that lost the latest one
 * does not repeat it.
 */
export class WriterElection implements WriterLease {
  readonly #options: WriterElectionOptions;
  readonly #listeners = new Set<() => void>();
  #fence: number | undefined;
  readonly #beats = new Coalesced(() => this.#options.part.run(() => this.#renewOrTake()));
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #unlisten = () => {};
  #isClosed = false;

  constructor(options: WriterElectionOptions) {
    this.#options = options;
  }

  get fence(): number | undefined {
    return this.#fence;
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  async start(): Promise<void> {
    // A `Part` never rejects.
    const beat = () => void this.#beats.join();
    this.#unlisten = this.#options.database.listen(TOPIC, beat);
    this.#timer = setInterval(beat, BEAT_MS).unref();
    await this.#beats.join();
  }

  /** Gives the lease up, so that the other servers try at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#unlisten();
    await this.#beats.idle();
    const fence = this.#fence;
    this.#lose();
    if (fence === undefined) return;
    const { database, part } = this.#options;
    await part.run(() =>
      database.change(async (query) => {
        await sql`update writer_lease set until_ms = 0
          where exists (select 1 from writer where fence = ${fence})`.execute(query);
        await database.notify(query, TOPIC);
      }),
    );
  }

  async #renewOrTake(): Promise<void> {
    if (this.#isClosed) return;
    const startedMs = performance.now();
    const held = this.#fence;
    const fence = held === undefined ? await this.#take() : await this.#renew(held);
    if (fence === undefined) {
      if (held !== undefined) this.#lose();
      return;
    }
    clearTimeout(this.#expiry);
    const leftMs = startedMs + LEASE_MS - MARGIN_MS - performance.now();
    if (leftMs <= 0) return this.#lose();
    this.#expiry = setTimeout(() => this.#lose(), leftMs).unref();
    if (fence === this.#fence) return;
    this.#fence = fence;
    this.#options.log.info({ fence }, 'this server is the writer: it sends the requests for all');
    this.#changed();
  }

  async #take(): Promise<number | undefined> {
    const { database, name } = this.#options;
    const { rows } = await sql<{ fence: number }>`
      with lease as (
        update writer_lease set until_ms = ${DATABASE_NOW_MS} + ${LEASE_MS} where until_ms < ${DATABASE_NOW_MS} returning 1
      )
      update writer set fence = greatest(fence + 1, ${DATABASE_NOW_MS}), holder = ${name} where exists (select 1 from lease) returning fence
    `.execute(database.query);
    return rows[0]?.fence;
  }

  async #renew(fence: number): Promise<number | undefined> {
    const { numAffectedRows } = await sql`
      update writer_lease set until_ms = ${DATABASE_NOW_MS} + ${LEASE_MS}
      where until_ms > 0 and exists (select 1 from writer where fence = ${fence})
    `.execute(this.#options.database.query);
    return numAffectedRows === 1n ? fence : undefined;
  }

  #lose(): void {
    clearTimeout(this.#expiry);
    if (this.#fence === undefined) return;
    this.#fence = undefined;
    if (!this.#isClosed) this.#options.log.warn('this server is not the writer any more');
    this.#changed();
  }

  #changed(): void {
    for (const changed of this.#listeners) changed();
  }
}

import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { FixInbox, InboxRow } from './fix-inbox.ts';

/** An inbox in memory, which fails when a test says so. */
export class MemoryInbox implements FixInbox {
  rows: InboxRow[] = [];
  isLost = false;
  readonly #now: () => UpstreamInstant;
  #id = 0;

  constructor(now: () => UpstreamInstant) {
    this.#now = now;
  }

  async put(bytes: Uint8Array): Promise<void> {
    this.#requireConnection();
    this.#id += 1;
    this.rows.push({ id: this.#id, at: epochMs(this.#now()), bytes });
  }

  async read(except: readonly number[]): Promise<InboxRow[]> {
    this.#requireConnection();
    return this.rows.filter(({ id }) => !except.includes(id));
  }

  async remove(ids: readonly number[]): Promise<void> {
    this.#requireConnection();
    this.rows = this.rows.filter(({ id }) => !ids.includes(id));
  }

  #requireConnection(): void {
    if (this.isLost) throw new PostgresFailure('the database is lost', true);
  }
}

import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { FINAL_AFTER_MS } from '../fusion/fusion.ts';
import type { FixInbox, InboxRow } from './fix-inbox.ts';

interface PostgresInboxOptions {
  readonly postgres: Pick<Postgres, 'query'>;
  /** Called with the number of fixes that nobody recorded in time. */
  readonly onDropped: (fixes: number) => void;
  /** Of all that is in it; the oldest goes first. Default 64 MB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 64_000_000;
const BOUND_EVERY_MS = SECOND_MS;
const ROWS_AT_ONCE = 100;
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * The inbox as a table. Whoever puts something into it keeps it within its bounds: what is older than 30 s could not be recorded any more,
 * because the past is final.
 */
export class PostgresInbox implements FixInbox {
  readonly #options: PostgresInboxOptions;
  #boundMs = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresInboxOptions) {
    this.#options = options;
  }

  async put(bytes: Uint8Array, fixes: number): Promise<void> {
    const { query } = this.#options.postgres;
    await query(`insert into lookout.fix_inbox (at, fixes, bytes) values (${NOW}, $1, $2)`, [fixes, bytes]);
    const nowMs = performance.now();
    if (nowMs - this.#boundMs < BOUND_EVERY_MS) return;
    this.#boundMs = nowMs;
    // What was put is in it, whatever becomes of this.
    await this.#dropWhatIsTooMuch().catch(() => undefined);
  }

  /** Not by the greatest number that was read: a lower one may be committed later. */
  read(except: readonly number[]): Promise<InboxRow[]> {
    return this.#options.postgres.query<InboxRow>(
      `select id, at, bytes from lookout.fix_inbox where id <> all($1::bigint[]) order by id limit ${ROWS_AT_ONCE}`,
      [except],
    );
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#options.postgres.query('delete from lookout.fix_inbox where id = any($1::bigint[])', [ids]);
  }

  async #dropWhatIsTooMuch(): Promise<void> {
    const { postgres, maxBytes = MAX_BYTES, onDropped } = this.#options;
    const dropped = await postgres.query<{ fixes: number }>(
      `delete from lookout.fix_inbox
        where at < ${NOW} - ${FINAL_AFTER_MS}
          or id in (
            select id from (
              select id, sum(octet_length(bytes)) over (order by id desc) as newer from lookout.fix_inbox
            ) as each where newer > $1
          )
        returning fixes`,
      [maxBytes],
    );
    const fixes = dropped.reduce((sum, each) => sum + each.fixes, 0);
    if (fixes > 0) onDropped(fixes);
  }
}

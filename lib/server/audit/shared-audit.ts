import 'server-only';
import type { Logger } from 'pino';
import * as z from 'zod/mini';
import { type AuditEntry, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { addMs, formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { NO_MARK, ROWS_AT_ONCE, type SharedRow, type SharedRows } from '../ports/shared-rows.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { AuditFile } from './audit-file.ts';

/** Entries that the shared store holds, some 30 MB: what a server without a file of its own finds of the past. */
export const SHARED_ENTRIES_MAX = 50_000;
const EXCHANGE_EVERY_MS = SECOND_MS;
/** While there is more than fits in one exchange. */
const GO_ON_AFTER_MS = SECOND_MS / 10;

/** What another server recorded may be of a kind that only a newer version knows. */
const sharedEntrySchema = z.object({ ...auditEntrySchema.shape, event: z.looseObject({ kind: z.string() }) });

export interface SharedAuditOptions {
  readonly file: AuditFile;
  readonly rows: SharedRows;
  readonly days: number;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Brings what all servers record into the file of each. What is not sent yet is in the file, and waits there for the shared store; what another
 * process at this server records is sent too.
 */
export class SharedAudit {
  readonly #options: SharedAuditOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<unknown> = Promise.resolve();
  #isFailing = false;

  constructor(options: SharedAuditOptions) {
    this.#options = options;
  }

  start(): void {
    this.#goOnAfter(0);
  }

  /** Sends what is left, if the store answers. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#underWay;
    clearTimeout(this.#timer);
    await this.#tried();
  }

  /** @returns whether there is more to send or to receive. @throws SharedStoreFailure; Error where the file cannot be read or written */
  async exchange(): Promise<boolean> {
    const { file, rows, now, days } = this.#options;
    const given = file.unsent(ROWS_AT_ONCE);
    const {
      mark,
      rows: found,
      isMore,
      isAnew,
      isWritten,
    } = await rows.exchange(file.mark ?? NO_MARK, given.map(rowOf));
    const oldest = formatLocalInstant(addMs(now(), -days * DAY_MS));
    const received: AuditEntry[] = [];
    for (const row of found) {
      const entry = entryOf(row);
      if (entry === undefined) await rows.setAside(row.id);
      else if (entry.last >= oldest) received.push(entry);
    }
    file.exchanged({ sent: isWritten ? given : [], received, mark, again: isAnew ? SHARED_ENTRIES_MAX : undefined });
    return isMore || isAnew || given.length === ROWS_AT_ONCE;
  }

  #goOnAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#tried().then((isMore) => this.#goOnAfter(isMore ? GO_ON_AFTER_MS : EXCHANGE_EVERY_MS));
    }, ms);
    this.#timer.unref();
  }

  async #tried(): Promise<boolean> {
    const { log } = this.#options;
    try {
      const isMore = await this.exchange();
      if (this.#isFailing) log.info('the audit is shared with the other servers again');
      this.#isFailing = false;
      return isMore;
    } catch (error) {
      // That the store does not answer is said by its connection.
      if (!(error instanceof SharedStoreFailure) && !this.#isFailing) {
        this.#isFailing = true;
        log.error({ err: error }, 'the audit cannot be shared with the other servers');
      }
      return false;
    }
  }
}

function rowOf(entry: AuditEntry): SharedRow {
  return { id: entry.id, revision: entry.times, text: JSON.stringify(entry) };
}

function entryOf({ id, text }: SharedRow): AuditEntry | undefined {
  try {
    const entry = sharedEntrySchema.parse(JSON.parse(text)) as AuditEntry;
    return entry.id === id ? entry : undefined;
  } catch {
    return undefined;
  }
}

import 'server-only';
import { randomBytes } from 'node:crypto';
import {
  AUDIT_KINDS,
  type AuditEntry,
  type AuditEvent,
  type AuditKind,
  auditEventSchema,
  KINDS_ABOUT_PEOPLE,
} from '#lib/api/people/audit-event.ts';
import { epochMs, formatLocalInstant, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { RowsMark } from '../ports/shared-rows.ts';
import { storageProblem } from '../stores/storage-problem.ts';
import type { AuditRow } from './audit-row.ts';
import { type OpenAuditFile, openAuditFile } from './open-audit-file.ts';

export interface OverdueEntries {
  readonly since: LocalInstant;
  readonly before: LocalInstant;
}

/** How long a write waits for one of another process; the request waits with it. */
const BUSY_TIMEOUT_MS = 250;

export interface AuditFilter {
  /** What this operator did, what was done to them, and rows of events that were only counted, among which such may be. */
  readonly operator?: string | undefined;
  /** Of this kind, or rows of events that were only counted, among which one may be. */
  readonly kind?: AuditKind | undefined;
  /** Inclusive. */
  readonly since?: LocalInstant | undefined;
  /** Exclusive. */
  readonly until?: LocalInstant | undefined;
  /** Only entries with a lower id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

interface StoredRow {
  readonly id: string;
  readonly at_ms: number;
  readonly last_ms: number;
  readonly times: number;
  readonly operator: string | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly details: string;
}

/** The audit log on disk, readable by its owner alone. Several processes may have it open. */
export class AuditFile {
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #busyTimeoutMs: number;
  /** Makes ids of this process its own; within a millisecond they are in order. */
  readonly #writer = randomBytes(6).toString('hex');
  #written = 0;
  #opened: OpenAuditFile | undefined;

  /**
   * While its disk is full, the file is opened at a later use.
   * @param file a path, or `:memory:`
   * @param options `busyTimeoutMs`: how long a write waits for one of another process
   * @throws Error that names the file, where it cannot be opened, is damaged or is another program's
   */
  constructor(
    file: string,
    { readOnly, busyTimeoutMs = BUSY_TIMEOUT_MS }: { readonly readOnly: boolean; readonly busyTimeoutMs?: number } = {
      readOnly: false,
    },
  ) {
    this.#file = file;
    this.#readOnly = readOnly;
    this.#busyTimeoutMs = busyTimeoutMs;
    try {
      this.#use();
    } catch (error) {
      if (!readOnly && storageProblem(error) === 'full') return;
      throw new Error(
        `The audit log, ${file}, cannot be opened: ${(error as Error).message}; move the file away to begin a new one, and keep it.`,
        { cause: error },
      );
    }
  }

  /** Writes all of them or none. They have their ids when it returns. @throws Error where the file cannot be written */
  write(rows: Iterable<AuditRow>): void {
    const inserted = new Map<AuditRow, string>();
    this.#change(() => {
      for (const row of rows) {
        const changing = { times: row.times, last_ms: epochMs(row.last) };
        if (row.id !== undefined) this.#use().repeat.run({ ...changing, id: row.id });
        else {
          const id = this.#newId(row.at);
          inserted.set(row, id);
          this.#use().insert.run({ ...changing, ...fixedColumns(row), id });
        }
      }
    });
    for (const [row, id] of inserted) row.id = id;
  }

  /** Up to where this file has what other servers recorded; `undefined` where it was never shared. */
  get mark(): RowsMark | undefined {
    return this.#use().database.prepare('select * from shared').get() as RowsMark | undefined;
  }

  /** Those that other servers may not have, the first of them first. @throws Error where the file cannot be read */
  unsent(limit: number): readonly AuditEntry[] {
    const rows = this.#use().database.prepare('select * from event where sent = 0 order by id limit ?').all(limit);
    // What this version does not know another may.
    return (rows as unknown as StoredRow[]).map((row) => toEntry(row, JSON.parse(row.details) as AuditEvent));
  }

  /** All of them or none. @throws Error where the file cannot be written */
  exchanged({ sent, received, mark, again }: ExchangedEntries): void {
    const send = this.#use().database.prepare('update event set sent = 1 where id = ? and times = ?');
    const receive = this.#use().database.prepare(
      `insert into event (id, at_ms, last_ms, times, kind, operator, name, person, address, request_id, details, sent)
       values (:id, :at_ms, :last_ms, :times, :kind, :operator, :name, :person, :address, :request_id, :details, 1)
       on conflict (id) do update set times = excluded.times, last_ms = excluded.last_ms where excluded.times > times`,
    );
    this.#change(() => {
      for (const { id, times } of sent) send.run(id, times);
      if (again !== undefined)
        this.#use()
          .database.prepare(
            "update event set sent = (id < coalesce((select id from event order by id desc limit 1 offset ?), '')) where true",
          )
          .run(again - 1);
      for (const entry of received) receive.run(columnsOf(entry));
      this.#use().database.exec('delete from shared');
      this.#use()
        .database.prepare('insert into shared (run, server, version) values (?, ?, ?)')
        .run(mark.run, mark.server, mark.version);
    });
  }

  /** Newest first. @throws Error where the file cannot be read */
  read({ operator, kind, since, until, before, limit }: AuditFilter): readonly AuditEntry[] {
    const rows = this.#use().select.all({
      operator: operator ?? null,
      kind: kind ?? null,
      about: JSON.stringify(KINDS_ABOUT_PEOPLE),
      known: JSON.stringify(AUDIT_KINDS),
      since: since === undefined ? Number.MIN_SAFE_INTEGER : epochMs(since),
      until: until === undefined ? Number.MAX_SAFE_INTEGER : epochMs(until),
      before: before ?? '~',
      limit,
    }) as unknown as StoredRow[];
    return rows.map((row) => toEntry(row, auditEventSchema.parse(JSON.parse(row.details))));
  }

  /**
   * Deletes what is older than so many days, by the newest entry or by now if that is earlier, and of each operator and kind all but the
   * newest. More than a day is not deleted at once: the clock may be wrong.
   * @returns what is left therefore
   */
  prune(days: number, now: LocalInstant, keptOfEach: number): OverdueEntries | undefined {
    const { oldest, newest } = this.#use()
      .database.prepare('select min(last_ms) as oldest, max(last_ms) as newest from event')
      .get() as { oldest: number | null; newest: number | null };
    const beforeMs = Math.min(epochMs(now), newest ?? 0) - days * DAY_MS;
    const isOverdue = oldest !== null && beforeMs - oldest > DAY_MS;
    if (!isOverdue) this.deleteBefore(localInstant(beforeMs));
    this.#use()
      .database.prepare(
        `delete from event where id in (
           select id from (select id, row_number() over (partition by operator, kind order by id desc) as age from event)
           where age > ?)`,
      )
      .run(keptOfEach);
    return isOverdue ? { since: localInstant(oldest), before: localInstant(beforeMs) } : undefined;
  }

  /** @returns how many entries were deleted. @throws Error where the file cannot be written */
  deleteBefore(before: LocalInstant): number {
    const { changes } = this.#use().database.prepare('delete from event where last_ms < ?').run(epochMs(before));
    return Number(changes);
  }

  close(): void {
    this.#opened?.database.close();
  }

  #change(write: () => void): void {
    const { database } = this.#use();
    database.exec('begin immediate');
    try {
      write();
      database.exec('commit');
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  /** @throws Error of the file system or of SQLite */
  #use(): OpenAuditFile {
    this.#opened ??= openAuditFile(this.#file, this.#readOnly, this.#busyTimeoutMs);
    return this.#opened;
  }

  #newId(at: LocalInstant): string {
    return `${digits(epochMs(at), 15)}-${digits(++this.#written, 9)}-${this.#writer}`;
  }
}

/** What one exchange with other servers comes to. */
export interface ExchangedEntries {
  readonly sent: readonly AuditEntry[];
  readonly received: readonly AuditEntry[];
  readonly mark: RowsMark;
  /** So many of the newest are to be sent again. */
  readonly again: number | undefined;
}

function digits(number: number, length: number): string {
  return String(Math.max(0, Math.floor(number))).padStart(length, '0');
}

function columnsOf({ id, at, last, times, operator, address, request_id, event }: AuditEntry) {
  return {
    id,
    at_ms: Date.parse(at),
    last_ms: Date.parse(last),
    times,
    kind: event.kind,
    operator: operator?.id ?? null,
    name: operator?.name ?? null,
    person: 'person' in event ? event.person : null,
    address,
    request_id,
    details: JSON.stringify(event),
  };
}

function fixedColumns({ at, operator, address, requestId, event }: AuditRow) {
  return {
    at_ms: epochMs(at),
    kind: event.kind,
    operator: operator?.id ?? null,
    name: operator?.name ?? null,
    person: 'person' in event ? event.person : null,
    address,
    request_id: requestId,
    details: JSON.stringify(event),
  };
}

function toEntry(row: StoredRow, event: AuditEvent): AuditEntry {
  return {
    id: String(row.id),
    at: formatLocalInstant(localInstant(row.at_ms)),
    last: formatLocalInstant(localInstant(row.last_ms)),
    times: row.times,
    operator: row.operator === null ? null : { id: row.operator, name: row.name ?? row.operator },
    address: row.address,
    request_id: row.request_id,
    event,
  };
}

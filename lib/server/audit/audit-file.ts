import 'server-only';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
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

export interface OverdueEntries {
  readonly since: LocalInstant;
  readonly before: LocalInstant;
}

/** How long a write waits for one of another process; the request waits with it. */
const BUSY_TIMEOUT_MS = 250;
/** "LkAu": a SQLite file with another application id is no audit log. */
const APPLICATION_ID = 0x4c6b4175;

/** 1: with numbers of this file as ids. */
const SCHEMA_VERSION = 2;

const SCHEMA = `
  create table event (
    id text primary key,
    at_ms integer not null,
    last_ms integer not null,
    times integer not null,
    kind text not null,
    operator text,
    name text,
    person text,
    address text,
    request_id text,
    details text not null,
    sent integer not null default 0
  ) strict, without rowid;
  create index event_time on event (last_ms);
  create index event_operator on event (operator, kind);
  create index event_unsent on event (id) where sent = 0;
  create table shared (run text not null, server text not null, version integer not null) strict;
  pragma user_version = ${SCHEMA_VERSION};
  pragma application_id = ${APPLICATION_ID}`;

const FROM_VERSION_1 = `
  alter table event rename to before;
  drop index event_time;
  drop index event_operator;
  ${SCHEMA};
  insert into event (id, at_ms, last_ms, times, kind, operator, name, person, address, request_id, details)
    select printf('%015d-%09d', at_ms, id), at_ms, last_ms, times, kind, operator, name, person, address, request_id, details
    from before;
  drop table before`;

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
  readonly #database: DatabaseSync;
  /** Makes ids of this process its own; within a millisecond they are in order. */
  readonly #writer = randomBytes(6).toString('hex');
  #written = 0;
  readonly #insert: StatementSync;
  readonly #repeat: StatementSync;
  readonly #select: StatementSync;

  /**
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
    let database: DatabaseSync | undefined;
    try {
      if (!readOnly && file !== ':memory:') makePrivate(file);
      database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly });
      claim(database, readOnly);
      if (!readOnly) {
        keepWriteAheadLog(database, busyTimeoutMs);
        database.exec('pragma synchronous = normal');
      }
      this.#insert = database.prepare(
        `insert into event (id, at_ms, last_ms, times, kind, operator, name, person, address, request_id, details)
         values (:id, :at_ms, :last_ms, :times, :kind, :operator, :name, :person, :address, :request_id, :details)`,
      );
      this.#repeat = database.prepare(
        `update event set times = :times, last_ms = :last_ms${readOnly ? '' : ', sent = 0'} where id = :id`,
      );
      this.#select = database.prepare(
        `select id, at_ms, last_ms, times, operator, name, address, request_id, details from event
         where (:operator is null or operator = :operator or person = :operator or kind = 'lost'
             or (kind = 'more' and details ->> 'of' in (select value from json_each(:about))))
           and (:kind is null or kind = :kind or kind = 'lost' or (kind = 'more' and details ->> 'of' = :kind))
           and last_ms >= :since and at_ms < :until and id < :before
           -- A newer version at another server may record more kinds.
           and kind in (select value from json_each(:known))
         order by id desc limit :limit`,
      );
      this.#database = database;
    } catch (error) {
      database?.close();
      throw new Error(
        `The audit log, ${file}, cannot be opened: ${(error as Error).message}; move the file away to begin a new one, and keep it.`,
      );
    }
  }

  /** Writes all of them or none. They have their ids when it returns. @throws Error where the file cannot be written */
  write(rows: Iterable<AuditRow>): void {
    const inserted = new Map<AuditRow, string>();
    this.#change(() => {
      for (const row of rows) {
        const changing = { times: row.times, last_ms: epochMs(row.last) };
        if (row.id !== undefined) this.#repeat.run({ ...changing, id: row.id });
        else {
          const id = this.#newId(row.at);
          inserted.set(row, id);
          this.#insert.run({ ...changing, ...fixedColumns(row), id });
        }
      }
    });
    for (const [row, id] of inserted) row.id = id;
  }

  /** Up to where this file has what other servers recorded; `undefined` where it was never shared. */
  get mark(): RowsMark | undefined {
    return this.#database.prepare('select * from shared').get() as RowsMark | undefined;
  }

  /** Those that other servers may not have, the first of them first. @throws Error where the file cannot be read */
  unsent(limit: number): readonly AuditEntry[] {
    const rows = this.#database.prepare('select * from event where sent = 0 order by id limit ?').all(limit);
    // What this version does not know another may.
    return (rows as unknown as StoredRow[]).map((row) => toEntry(row, JSON.parse(row.details) as AuditEvent));
  }

  /** All of them or none. @throws Error where the file cannot be written */
  exchanged({ sent, received, mark, again }: ExchangedEntries): void {
    const send = this.#database.prepare('update event set sent = 1 where id = ? and times = ?');
    const receive = this.#database.prepare(
      `insert into event (id, at_ms, last_ms, times, kind, operator, name, person, address, request_id, details, sent)
       values (:id, :at_ms, :last_ms, :times, :kind, :operator, :name, :person, :address, :request_id, :details, 1)
       on conflict (id) do update set times = excluded.times, last_ms = excluded.last_ms where excluded.times > times`,
    );
    this.#change(() => {
      for (const { id, times } of sent) send.run(id, times);
      if (again !== undefined)
        this.#database
          .prepare(
            "update event set sent = (id < coalesce((select id from event order by id desc limit 1 offset ?), '')) where true",
          )
          .run(again - 1);
      for (const entry of received) receive.run(columnsOf(entry));
      this.#database.exec('delete from shared');
      this.#database
        .prepare('insert into shared (run, server, version) values (?, ?, ?)')
        .run(mark.run, mark.server, mark.version);
    });
  }

  /** Newest first. @throws Error where the file cannot be read */
  read({ operator, kind, since, until, before, limit }: AuditFilter): readonly AuditEntry[] {
    const rows = this.#select.all({
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
    const { oldest, newest } = this.#database
      .prepare('select min(last_ms) as oldest, max(last_ms) as newest from event')
      .get() as { oldest: number | null; newest: number | null };
    const beforeMs = Math.min(epochMs(now), newest ?? 0) - days * DAY_MS;
    const isOverdue = oldest !== null && beforeMs - oldest > DAY_MS;
    if (!isOverdue) this.deleteBefore(localInstant(beforeMs));
    this.#database
      .prepare(
        `delete from event where id in (
           select id from (select id, row_number() over (partition by operator, kind order by id desc) as age from event)
           where age > ?)`,
      )
      .run(keptOfEach);
    return isOverdue ? { since: localInstant(oldest), before: localInstant(beforeMs) } : undefined;
  }

  /** @returns how many entries were deleted. @throws Error where the file cannot be written */
  deleteBefore(before: LocalInstant): number {
    return Number(this.#database.prepare('delete from event where last_ms < ?').run(epochMs(before)).changes);
  }

  close(): void {
    this.#database.close();
  }

  #change(write: () => void): void {
    this.#database.exec('begin immediate');
    try {
      write();
      this.#database.exec('commit');
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
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

/** SQLite would create it readable by others; its write-ahead log and index take over the mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function claim(database: DatabaseSync, readOnly: boolean): void {
  if (applicationId(database) === APPLICATION_ID) {
    const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (quick_check !== 'ok') throw new Error(quick_check);
    if (readOnly || schemaVersion(database) === SCHEMA_VERSION) return;
    database.exec('begin immediate');
    // Another process may have done so meanwhile.
    if (schemaVersion(database) !== SCHEMA_VERSION) database.exec(FROM_VERSION_1);
    database.exec('commit');
    return;
  }
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number };
  if (applicationId(database) === 0 && tables === 0) {
    database.exec('begin immediate');
    // Another process may have begun it meanwhile.
    if (applicationId(database) === 0) database.exec(SCHEMA);
    database.exec('commit');
  }
  if (applicationId(database) !== APPLICATION_ID) throw new Error('it is the database of another program');
}

/**
 * A file that is new changes to it with a lock that grows from reading to writing. SQLite's own timeout does not wait for that while another
 * process is about to write.
 */
function keepWriteAheadLog(database: DatabaseSync, timeoutMs: number): void {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (storageProblem(error) !== 'in-use' || performance.now() > untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function schemaVersion(database: DatabaseSync): number {
  return (database.prepare('pragma user_version').get() as { user_version: number }).user_version;
}

function applicationId(database: DatabaseSync): number {
  return (database.prepare('pragma application_id').get() as { application_id: number }).application_id;
}

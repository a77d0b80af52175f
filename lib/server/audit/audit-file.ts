import 'server-only';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type AuditEntry, type AuditKind, auditEventSchema, KINDS_ABOUT_PEOPLE } from '#lib/api/people/audit-event.ts';
import { epochMs, formatLocalInstant, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import type { AuditRow } from './audit-row.ts';

/** How long a write waits for one of another process; the request waits with it. */
const BUSY_TIMEOUT_MS = 250;
/** "LkAu": a SQLite file with another application id is no audit log. */
const APPLICATION_ID = 0x4c6b4175;

const SCHEMA = `
  create table event (
    id integer primary key autoincrement,
    at_ms integer not null,
    last_ms integer not null,
    times integer not null,
    kind text not null,
    operator text,
    name text,
    person text,
    address text,
    request_id text,
    details text not null
  ) strict;
  create index event_time on event (last_ms);
  create index event_operator on event (operator, kind);
  pragma application_id = ${APPLICATION_ID}`;

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
  readonly before?: number | undefined;
  readonly limit: number;
}

interface StoredRow {
  readonly id: number;
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
      claim(database);
      if (!readOnly) {
        database.exec('pragma journal_mode = wal');
        database.exec('pragma synchronous = normal');
      }
      this.#insert = database.prepare(
        `insert into event (at_ms, last_ms, times, kind, operator, name, person, address, request_id, details)
         values (:at_ms, :last_ms, :times, :kind, :operator, :name, :person, :address, :request_id, :details)`,
      );
      this.#repeat = database.prepare('update event set times = :times, last_ms = :last_ms where id = :id');
      this.#select = database.prepare(
        `select id, at_ms, last_ms, times, operator, name, address, request_id, details from event
         where (:operator is null or operator = :operator or person = :operator or kind = 'lost'
             or (kind = 'more' and details ->> 'of' in (select value from json_each(:about))))
           and (:kind is null or kind = :kind or kind = 'lost' or (kind = 'more' and details ->> 'of' = :kind))
           and last_ms >= :since and at_ms < :until and id < :before
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
    const inserted = new Map<AuditRow, number>();
    this.#database.exec('begin immediate');
    try {
      for (const row of rows) {
        const changing = { times: row.times, last_ms: epochMs(row.last) };
        if (row.id !== undefined) this.#repeat.run({ ...changing, id: row.id });
        else inserted.set(row, Number(this.#insert.run({ ...changing, ...fixedColumns(row) }).lastInsertRowid));
      }
      this.#database.exec('commit');
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
    for (const [row, id] of inserted) row.id = id;
  }

  /** Newest first. @throws Error where the file cannot be read */
  read({ operator, kind, since, until, before, limit }: AuditFilter): readonly AuditEntry[] {
    const rows = this.#select.all({
      operator: operator ?? null,
      kind: kind ?? null,
      about: JSON.stringify(KINDS_ABOUT_PEOPLE),
      since: since === undefined ? Number.MIN_SAFE_INTEGER : epochMs(since),
      until: until === undefined ? Number.MAX_SAFE_INTEGER : epochMs(until),
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
    }) as unknown as StoredRow[];
    return rows.map(toEntry);
  }

  /** Deletes what is older, and of each operator and kind all but the newest. */
  prune(before: LocalInstant, keptOfEach: number): void {
    this.#database.prepare('delete from event where last_ms < ?').run(epochMs(before));
    this.#database
      .prepare(
        `delete from event where id in (
           select id from (select id, row_number() over (partition by operator, kind order by id desc) as age from event)
           where age > ?)`,
      )
      .run(keptOfEach);
  }

  close(): void {
    this.#database.close();
  }
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

function toEntry(row: StoredRow): AuditEntry {
  return {
    id: row.id,
    at: formatLocalInstant(localInstant(row.at_ms)),
    last: formatLocalInstant(localInstant(row.last_ms)),
    times: row.times,
    operator: row.operator === null ? null : { id: row.operator, name: row.name ?? row.operator },
    address: row.address,
    request_id: row.request_id,
    event: auditEventSchema.parse(JSON.parse(row.details)),
  };
}

/** SQLite would create it readable by others; its write-ahead log and index take over the mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function claim(database: DatabaseSync): void {
  if (applicationId(database) === APPLICATION_ID) {
    const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (quick_check !== 'ok') throw new Error(quick_check);
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

function applicationId(database: DatabaseSync): number {
  return (database.prepare('pragma application_id').get() as { application_id: number }).application_id;
}

import 'server-only';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { storageProblem } from '../stores/storage-problem.ts';

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

export interface OpenAuditFile {
  readonly database: DatabaseSync;
  readonly insert: StatementSync;
  readonly repeat: StatementSync;
  readonly select: StatementSync;
}

/** @throws Error of the file system or of SQLite, or that the file is another program's */
export function openAuditFile(file: string, readOnly: boolean, busyTimeoutMs: number): OpenAuditFile {
  if (!readOnly && file !== ':memory:') makePrivate(file);
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly });
  try {
    claim(database, readOnly);
    if (!readOnly) {
      keepWriteAheadLog(database, busyTimeoutMs);
      database.exec('pragma synchronous = normal');
    }
    return {
      database,
      insert: database.prepare(
        `insert into event (id, at_ms, last_ms, times, kind, operator, name, person, address, request_id, details)
         values (:id, :at_ms, :last_ms, :times, :kind, :operator, :name, :person, :address, :request_id, :details)`,
      ),
      repeat: database.prepare(
        `update event set times = :times, last_ms = :last_ms${readOnly ? '' : ', sent = 0'} where id = :id`,
      ),
      select: database.prepare(
        `select id, at_ms, last_ms, times, operator, name, address, request_id, details from event
         where (:operator is null or operator = :operator or person = :operator or kind = 'lost'
             or (kind = 'more' and details ->> 'of' in (select value from json_each(:about))))
           and (:kind is null or kind = :kind or kind = 'lost' or (kind = 'more' and details ->> 'of' = :kind))
           and last_ms >= :since and at_ms < :until and id < :before
           -- A newer version at another server may record more kinds.
           and kind in (select value from json_each(:known))
         order by id desc limit :limit`,
      ),
    };
  } catch (error) {
    database.close();
    throw error;
  }
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

import 'server-only';
import { chmodSync, chownSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DamagedStore, ForeignStore, storageProblem } from './database-failure.ts';

export const DATABASE_FILE = 'lookout.sqlite';
/** The opening waits so long for another process, such as a server that is stopping. */
const BUSY_TIMEOUT_MS = 2000;
/** Later the driver waits without blocking this process. */
const LATER_TIMEOUT_MS = 5;
/** With SQLite's 2 MB, the state of busy zones is read and written several times in one transaction. */
const CACHE_MAX_KB = 16_000;
/** "LkDb": a file with another id belongs to another program. */
const APPLICATION_ID = 0x4c6b4462;

/**
 * Makes a missing file for its owner alone, and checks an existing one, which opens also on a full disk.
 * @throws DamagedStore, ForeignStore, and errors of the file system and of SQLite
 */
export function openSqliteFile(file: string): DatabaseSync {
  // SQLite's log and index inherit the mode of the file.
  if (file !== ':memory:') makePrivate(file);
  try {
    return openIn(file, 'normal');
  } catch (error) {
    if (storageProblem(error) !== 'full') throw error;
    // The log's index has no room on disk. In this mode it is in memory, and the file is this process's alone.
    return openIn(file, 'exclusive');
  }
}

function openIn(file: string, locking: 'normal' | 'exclusive'): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (locking === 'exclusive') database.exec('pragma locking_mode = exclusive');
    claim(database);
    keepWriteAheadLog(database);
    database.exec(
      `pragma cache_size = -${CACHE_MAX_KB}; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = ${LATER_TIMEOUT_MS}`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  if (process.getuid?.() !== 0) return;
  // Root's commands must leave the file to Lookout's user.
  const { uid, gid } = statSync(dirname(file));
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}

function claim(database: DatabaseSync): void {
  if (applicationId(database) === 0) {
    database.exec('begin immediate');
    if (isEmpty(database) && applicationId(database) === 0) database.exec(`pragma application_id = ${APPLICATION_ID}`);
    database.exec('commit');
  }
  requireOurs(database);
  const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
  if (quick_check !== 'ok') throw new DamagedStore(quick_check);
}

/** Refuses a file of another program. An empty file becomes Lookout's. @throws ForeignStore */
export function requireOurs(database: DatabaseSync): void {
  const id = applicationId(database);
  if (id !== APPLICATION_ID && !(id === 0 && isEmpty(database)))
    throw new ForeignStore('it is the database of another program');
}

/** SQLite's timeout does not cover the upgrade of a lock, which the first change to a write-ahead log needs. */
function keepWriteAheadLog(database: DatabaseSync): void {
  const untilMs = performance.now() + BUSY_TIMEOUT_MS;
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

function isEmpty(database: DatabaseSync): boolean {
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number };
  return tables === 0;
}

function applicationId(database: DatabaseSync): number {
  return (database.prepare('pragma application_id').get() as { application_id: number }).application_id;
}

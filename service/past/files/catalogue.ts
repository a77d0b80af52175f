import { chmodSync, closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { isReadVersion, OtherVersion } from '#lib/version/file-version.ts';
import { requireSafeSqlite } from '../../accounts/sqlite/safe-sqlite.ts';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import type { LayerPeriod } from '../period.ts';
import type { SegmentEntry } from '../segment/segment-entry.ts';

const TABLE_VERSION = 1;
const BUSY_TIMEOUT_MS = 1000;

const TABLES = `
  create table segments (
    layer text not null,
    start integer not null,
    bytes integer not null,
    count integer not null,
    first_ms integer not null,
    last_ms integer not null,
    west integer not null,
    south integer not null,
    east integer not null,
    north integer not null,
    readable integer not null,
    primary key (start, layer)
  ) strict, without rowid;
  create table if not exists kept (only integer primary key check (only = 1), since integer not null) strict;
  pragma user_version = ${TABLE_VERSION}`;

/**
 * The segments of the past, by what their footers say, so that a start need not read them. A change happens whole or
 * not at all. It can be rebuilt from the segments, and its lock guards the whole past.
 */
export class Catalogue {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #keep: StatementSync;

  /** @throws Error if another process uses it, the file can't be opened, or this SQLite could damage it */
  constructor(file: string, log: (entry: string) => void) {
    requireSafeSqlite(process.versions.sqlite);
    this.#database = openOrRenew(file, log);
    this.#put = this.#database.prepare('insert or replace into segments values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#remove = this.#database.prepare('delete from segments where layer = ? and start = ?');
    this.#keep = this.#database.prepare(
      'insert into kept values (1, ?) on conflict (only) do update set since = max(since, excluded.since)',
    );
  }

  /** All segments, sorted by time. */
  entries(): SegmentEntry[] {
    const rows = this.#database.prepare('select * from segments order by start').all() as unknown as TableRow[];
    return rows.map(({ layer, start, bytes, count, first_ms, last_ms, west, south, east, north, readable }) => ({
      layer,
      start: upstreamInstant(start),
      bytes,
      count,
      firstMs: first_ms,
      lastMs: last_ms,
      box: { west, south, east, north },
      isReadable: readable === 1,
    }));
  }

  put(entries: readonly SegmentEntry[]): void {
    this.#change(() => {
      for (const { layer, start, bytes, count, firstMs, lastMs, box, isReadable } of entries) {
        const { west, south, east, north } = box;
        const place = [west, south, east, north] as const;
        this.#put.run(layer, epochMs(start), bytes, count, firstMs, lastMs, ...place, isReadable ? 1 : 0);
      }
    });
  }

  remove({ layer, start }: LayerPeriod, keptSince: UpstreamInstant): void {
    this.#change(() => {
      this.#remove.run(layer, epochMs(start));
      this.keepSince(keptSince);
    });
  }

  /** Keeps the latest of these times: an earlier one changes nothing. */
  keepSince(since: UpstreamInstant): void {
    this.#keep.run(epochMs(since));
  }

  /** The time since which everything is kept; undefined if nothing was removed. */
  keptSince(): UpstreamInstant | undefined {
    const { since } = this.#database.prepare('select max(since) as since from kept').get() as { since: number | null };
    return since === null ? undefined : upstreamInstant(since);
  }

  close(): void {
    this.#database.close();
  }

  #change(work: () => void): void {
    this.#database.exec('begin');
    try {
      work();
      this.#database.exec('commit');
    } catch (failure) {
      // SQLite itself rolls back after some errors only. An open transaction would fail every later change.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw failure;
    }
  }
}

interface TableRow {
  readonly layer: Layer;
  readonly start: number;
  readonly bytes: number;
  readonly count: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly readable: number;
}

function openOrRenew(file: string, log: (entry: string) => void): DatabaseSync {
  try {
    return openDatabase(file);
  } catch (failure) {
    if (failure instanceof OtherVersion) {
      const remedy = 'start that Lookout, or move the file away: this one makes it again from the segments';
      throw new Error(failure.text(file, remedy));
    }
    const cause = failure instanceof WrongContent ? 'damaged' : storageFailure(failure);
    if (cause === 'in-use') throw new Error(`${file} is in use: another service stores its past there.`);
    if (cause !== 'damaged') throw failure;
    log(`past: ${file} is damaged; it is rebuilt from the segments`);
    for (const companion of ['', '-wal', '-shm', '-journal']) {
      if (existsSync(file + companion)) renameSync(file + companion, `${file}.damaged${companion}`);
    }
    return openDatabase(file);
  }
}

class WrongContent extends Error {}

function openDatabase(file: string): DatabaseSync {
  // SQLite gives its log the same mode.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Segments have all of its content, so commits need not wait for the disk.
    database.exec('pragma locking_mode = exclusive');
    const { user_version } = database.prepare('pragma user_version').get() as { user_version: number };
    const isRead = isReadVersion(user_version, TABLE_VERSION, 0);
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; begin exclusive');
    const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (quick_check !== 'ok') throw new WrongContent(quick_check);
    if (!isRead) throw new WrongContent(`version ${user_version}`);
    // Tables of the same version are not written, so that the file opens on a full disk.
    if (user_version !== TABLE_VERSION) database.exec(`drop table if exists segments; ${TABLES}`);
    database.exec('commit');
    return database;
  } catch (failure) {
    database.close();
    throw failure;
  }
}

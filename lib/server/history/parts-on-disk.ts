import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { type HistoryPart, type Part, partKey, type WholePart } from '../parts/history-part.ts';
import { READER_VERSION } from '../upstream/read-page.ts';

/** Version of the table below; raised when its columns change. */
const TABLE_VERSION = 3;
/** In the file's single version number the version of the bodies has 16 bits, below 8 of the reader's. */
const READER_VERSION_UNIT = 0x10000;
const TABLE_VERSION_UNIT = 0x100 * READER_VERSION_UNIT;
/** Of a row, beside its body: its key, its columns and their indexes. */
const ROW_BYTES = 400;
/** Share of the limit that is freed beyond what is needed, so that not every part causes an eviction. */
const SLACK = 0.1;

type StoredPart = Pick<HistoryPart, 'records' | 'truncated' | 'unreadable' | 'body'>;

/** Parts in a SQLite file of limited size; the least recently used are evicted. */
export class PartsOnDisk {
  readonly #database: DatabaseSync;
  readonly #maxBytes: number;
  readonly #get: StatementSync;
  readonly #has: StatementSync;
  readonly #wholeOver: StatementSync;
  readonly #touch: StatementSync;
  readonly #put: StatementSync;
  readonly #oldest: StatementSync;
  readonly #drop: StatementSync;
  #bytes: number;
  #uses: number;

  /**
   * @param file created if missing, and recreated where its table or bodies have another version, or another version of the
   *   reader wrote it, which may have dropped records: everything in it can be requested again
   */
  constructor(file: string, maxBytes: number, { format, reader } = { format: FORMAT_VERSION, reader: READER_VERSION }) {
    this.#maxBytes = maxBytes;
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
    this.#makeTable(TABLE_VERSION * TABLE_VERSION_UNIT + reader * READER_VERSION_UNIT + format);
    this.#get = this.#database.prepare('SELECT records, truncated, unreadable, body FROM parts WHERE key = ?');
    this.#has = this.#database.prepare('SELECT 1 FROM parts WHERE key = ?');
    this.#wholeOver = this.#database.prepare(`
      SELECT west, south, east, north, start, "end", records FROM parts
      WHERE layer = ? AND start > ? AND start < ? AND "end" > ? AND truncated = 0
        AND west <= ? AND south <= ? AND east >= ? AND north >= ?
    `);
    this.#touch = this.#database.prepare('UPDATE parts SET used = ? WHERE key = ?');
    this.#put = this.#database.prepare('INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#oldest = this.#database.prepare('SELECT key, length(body) AS bytes FROM parts ORDER BY used LIMIT 200');
    this.#drop = this.#database.prepare('DELETE FROM parts WHERE key = ?');
    const size = `SELECT coalesce(sum(length(body) + ${ROW_BYTES}), 0) AS bytes, coalesce(max(used), 0) AS uses FROM parts`;
    const { bytes, uses } = this.#database.prepare(size).get() as { bytes: number; uses: number };
    this.#bytes = bytes;
    this.#uses = uses;
  }

  has(key: string): boolean {
    return this.#has.get(key) !== undefined;
  }

  get(key: string): StoredPart | undefined {
    const row = this.#get.get(key) as (Omit<StoredPart, 'truncated'> & { truncated: number }) | undefined;
    if (!row) return undefined;
    return { ...row, truncated: row.truncated === 1 };
  }

  /** Records that a part was used: it will be evicted later. */
  touch(key: string): void {
    this.#touch.run(++this.#uses, key);
  }

  wholeOver(layer: Layer, { bbox, window }: Part): readonly WholePart[] {
    const { west, south, east, north } = bbox;
    const { start, end } = window;
    const rows = this.#wholeOver.all(
      layer,
      epochMs(start) - HISTORY_MAX_WINDOW_MS,
      epochMs(end),
      epochMs(start),
      west,
      south,
      east,
      north,
    );
    return (rows as unknown as WholeRow[]).map(({ start, end, records, ...bbox }) => ({
      bbox,
      window: { start: upstreamInstant(start), end: upstreamInstant(end) },
      records,
    }));
  }

  put(part: HistoryPart): void {
    const { layer, bbox, window, records, truncated, unreadable, body } = part;
    const key = partKey(layer, part);
    if (this.has(key)) return;
    const { west, south, east, north } = bbox;
    const place = [layer, west, south, east, north, epochMs(window.start), epochMs(window.end)] as const;
    this.#put.run(key, ...place, records, truncated ? 1 : 0, unreadable, body, ++this.#uses);
    this.#bytes += body.byteLength + ROW_BYTES;
    if (this.#bytes > this.#maxBytes) this.#makeRoom();
  }

  close(): void {
    this.#database.close();
  }

  #makeTable(version: number): void {
    const { user_version } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (user_version !== version) this.#database.exec('DROP TABLE IF EXISTS parts');
    this.#database.exec(`
      CREATE TABLE IF NOT EXISTS parts (
        key TEXT PRIMARY KEY,
        layer TEXT NOT NULL,
        west REAL NOT NULL,
        south REAL NOT NULL,
        east REAL NOT NULL,
        north REAL NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        records INTEGER NOT NULL,
        truncated INTEGER NOT NULL,
        unreadable INTEGER NOT NULL,
        body BLOB NOT NULL,
        used INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS parts_used ON parts (used);
      CREATE INDEX IF NOT EXISTS parts_start ON parts (layer, start);
      PRAGMA user_version = ${version};
    `);
  }

  #makeRoom(): void {
    const wanted = this.#maxBytes * (1 - SLACK);
    while (this.#bytes > wanted) {
      const oldest = this.#oldest.all() as unknown as { key: string; bytes: number }[];
      if (oldest.length === 0) return;
      for (const { key, bytes } of oldest) {
        if (this.#bytes <= wanted) return;
        this.#drop.run(key);
        this.#bytes -= bytes + ROW_BYTES;
      }
    }
  }
}

interface WholeRow {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly start: number;
  readonly end: number;
  readonly records: number;
}

import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Layer } from '#lib/model/position.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import type { Part } from './split/part.ts';

/** Of compressed observations: about ten million of them. */
const MEMORY_MOST_BYTES = 64 * 1024 * 1024;
const DISK_MOST_BYTES = 512 * 1024 * 1024;
/** What an entry takes beside its body. */
const ENTRY_BYTES = 400;
/** Room is made for this much more than is needed, so that it is not made at every part. */
const DISK_SLACK = 0.1;

export interface PartCacheLimits {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/**
 * Closed parts of the past, for all operators: they never change. In memory, and on disk where a file is given, so that a
 * restart does not cost them again; what was used longest ago makes room.
 */
export class PartCache {
  readonly #memory: LRUCache<string, HistoryPart>;
  readonly #disk: PartsOnDisk | undefined;

  /** @param file made where it is missing; `undefined`: memory alone */
  constructor(
    file: string | undefined,
    { memoryBytes, diskBytes }: PartCacheLimits = { memoryBytes: MEMORY_MOST_BYTES, diskBytes: DISK_MOST_BYTES },
  ) {
    this.#memory = new LRUCache({
      maxSize: memoryBytes,
      sizeCalculation: ({ body }) => body.byteLength + ENTRY_BYTES,
    });
    this.#disk = file === undefined ? undefined : new PartsOnDisk(file, diskBytes);
  }

  has(layer: Layer, part: Part): boolean {
    const key = partKey(layer, part);
    return this.#memory.has(key) || (this.#disk?.has(key) ?? false);
  }

  get(layer: Layer, part: Part): HistoryPart | undefined {
    const key = partKey(layer, part);
    const held = this.#memory.get(key);
    if (held) return held;
    const kept = this.#disk?.get(key);
    if (!kept) return undefined;
    const { bbox, window } = part;
    const found: HistoryPart = { layer, bbox, window, ...kept };
    this.#memory.set(key, found);
    return found;
  }

  put(part: HistoryPart): void {
    const key = partKey(part.layer, part);
    this.#memory.set(key, part);
    this.#disk?.put(key, part);
  }

  close(): void {
    this.#disk?.close();
  }
}

type KeptPart = Pick<HistoryPart, 'records' | 'truncated' | 'unreadable' | 'body'>;

class PartsOnDisk {
  readonly #database: DatabaseSync;
  readonly #mostBytes: number;
  readonly #get: StatementSync;
  readonly #has: StatementSync;
  readonly #touch: StatementSync;
  readonly #put: StatementSync;
  readonly #size: StatementSync;
  readonly #oldest: StatementSync;
  readonly #drop: StatementSync;
  #bytes: number;
  #uses: number;

  constructor(file: string, mostBytes: number) {
    this.#mostBytes = mostBytes;
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA busy_timeout = 2000;
      CREATE TABLE IF NOT EXISTS parts (
        key TEXT PRIMARY KEY,
        records INTEGER NOT NULL,
        truncated INTEGER NOT NULL,
        unreadable INTEGER NOT NULL,
        body BLOB NOT NULL,
        used INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS parts_used ON parts (used);
    `);
    this.#get = this.#database.prepare('SELECT records, truncated, unreadable, body FROM parts WHERE key = ?');
    this.#has = this.#database.prepare('SELECT 1 FROM parts WHERE key = ?');
    this.#touch = this.#database.prepare('UPDATE parts SET used = ? WHERE key = ?');
    this.#put = this.#database.prepare('INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?)');
    this.#size = this.#database.prepare(
      `SELECT coalesce(sum(length(body) + ${ENTRY_BYTES}), 0) AS bytes, coalesce(max(used), 0) AS uses FROM parts`,
    );
    this.#oldest = this.#database.prepare('SELECT key, length(body) AS bytes FROM parts ORDER BY used LIMIT 200');
    this.#drop = this.#database.prepare('DELETE FROM parts WHERE key = ?');
    const { bytes, uses } = this.#size.get() as { bytes: number; uses: number };
    this.#bytes = bytes;
    this.#uses = uses;
  }

  has(key: string): boolean {
    return this.#has.get(key) !== undefined;
  }

  get(key: string): KeptPart | undefined {
    const row = this.#get.get(key) as (Omit<KeptPart, 'truncated'> & { truncated: number }) | undefined;
    if (!row) return undefined;
    this.#touch.run(++this.#uses, key);
    return { ...row, truncated: row.truncated === 1 };
  }

  put(key: string, { records, truncated, unreadable, body }: HistoryPart): void {
    if (this.has(key)) return;
    this.#put.run(key, records, truncated ? 1 : 0, unreadable, body, ++this.#uses);
    this.#bytes += body.byteLength + ENTRY_BYTES;
    if (this.#bytes > this.#mostBytes) this.#makeRoom();
  }

  close(): void {
    this.#database.close();
  }

  #makeRoom(): void {
    const wanted = this.#mostBytes * (1 - DISK_SLACK);
    while (this.#bytes > wanted) {
      const oldest = this.#oldest.all() as unknown as { key: string; bytes: number }[];
      if (oldest.length === 0) return;
      for (const { key, bytes } of oldest) {
        if (this.#bytes <= wanted) return;
        this.#drop.run(key);
        this.#bytes -= bytes + ENTRY_BYTES;
      }
    }
  }
}

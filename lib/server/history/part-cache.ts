import 'server-only';
import { LRUCache } from 'lru-cache';
import { bboxCovers } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type HistoryPart, type Part, partKey, type WholePart } from '../parts/history-part.ts';
import { StoreHealth } from '../stores/store-health.ts';
import { PartsOnDisk } from './parts-on-disk.ts';

/** For compressed observations: about ten million of them. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;
/** Of a part in memory, beside its body: its objects, its key, and the buffer's own. */
export const ENTRY_BYTES = 900;
/** A full disk can be read: the two fail, and recover, apart. */
const READING = 'history cache, reading';
const WRITING = 'history cache';
/** A part with unreadable records may be mended at the upstream, or by an update of Lookout: until then loads share it. */
const UNREADABLE_KEPT_MS = 5 * MINUTE_MS;
const DISK_MAX_BYTES = 512 * 1024 * 1024;

export interface PartCacheLimits {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** For how long a part with unreadable records is cached. */
  readonly unreadableMs?: number;
}

/**
 * Settled parts of the past, shared by all operators: they never change. Cached in memory, and on disk where a file is given,
 * so that a restart costs no requests; the least recently used are evicted. Parts with unreadable records are in memory alone,
 * for minutes.
 */
export class PartCache {
  readonly #memory: LRUCache<string, HistoryPart>;
  readonly #disk: PartsOnDisk | undefined;
  readonly #health: StoreHealth;
  readonly #unreadableMs: number;

  /**
   * @param file created if missing; `undefined`: memory alone
   * @param health learns whether the file can be read and written; while it cannot, memory alone is used
   * @throws Error where the file cannot be opened
   */
  constructor(
    file: string | undefined,
    { memoryBytes, diskBytes, unreadableMs = UNREADABLE_KEPT_MS }: PartCacheLimits = {
      memoryBytes: MEMORY_MAX_BYTES,
      diskBytes: DISK_MAX_BYTES,
    },
    health = new StoreHealth(),
  ) {
    this.#health = health;
    this.#unreadableMs = unreadableMs;
    this.#memory = new LRUCache({
      maxSize: memoryBytes,
      sizeCalculation: ({ body }) => body.byteLength + ENTRY_BYTES,
    });
    this.#disk = file === undefined ? undefined : new PartsOnDisk(file, diskBytes);
  }

  /** What the parts in memory count for, at most `memoryBytes` of the limits. */
  get memoryBytes(): number {
    return this.#memory.calculatedSize;
  }

  has(layer: Layer, part: Part): boolean {
    const key = partKey(layer, part);
    return this.#memory.has(key) || (this.#onDisk(READING, (disk) => disk.has(key)) ?? false);
  }

  get(layer: Layer, part: Part): HistoryPart | undefined {
    const key = partKey(layer, part);
    const inMemory = this.#memory.get(key);
    if (inMemory) return inMemory;
    const onDisk = this.#onDisk(READING, (disk) => disk.get(key));
    if (!onDisk) return undefined;
    this.#onDisk(WRITING, (disk) => disk.touch(key));
    const { bbox, window } = part;
    const found: HistoryPart = { layer, bbox, window, ...onDisk };
    this.#memory.set(key, found);
    return found;
  }

  /** Cached complete parts, each record of which was read, whose box covers this one and whose window overlaps with it; in no particular order. */
  wholeOver(layer: Layer, { bbox, window }: Part): readonly WholePart[] {
    const over: WholePart[] = [];
    for (const each of this.#memory.values()) {
      if (each.truncated || each.unreadable > 0 || each.layer !== layer) continue;
      const sharesTime = each.window.start < window.end && each.window.end > window.start;
      if (sharesTime && bboxCovers(each.bbox, bbox)) over.push(each);
    }
    return [...over, ...(this.#onDisk(READING, (disk) => disk.wholeOver(layer, { bbox, window })) ?? [])];
  }

  put(part: HistoryPart): void {
    const key = partKey(part.layer, part);
    if (part.unreadable > 0) {
      this.#memory.set(key, part, { ttl: this.#unreadableMs });
      return;
    }
    this.#memory.set(key, part);
    this.#onDisk(WRITING, (disk) => disk.put(part));
  }

  close(): void {
    this.#disk?.close();
  }

  #onDisk<T>(what: string, use: (disk: PartsOnDisk) => T): T | undefined {
    const disk = this.#disk;
    if (!disk) return undefined;
    let result: T | undefined;
    this.#health.written(what, () => {
      result = use(disk);
    });
    return result;
  }
}

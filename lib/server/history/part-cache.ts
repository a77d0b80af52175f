import 'server-only';
import { LRUCache } from 'lru-cache';
import { bboxCovers } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { ENTRY_BYTES, type HistoryPart, partKey, type WholePart } from './history-part.ts';
import { PartsOnDisk } from './parts-on-disk.ts';
import type { Part } from './split/part.ts';

/** Of compressed observations: about ten million of them. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;
const DISK_MAX_BYTES = 512 * 1024 * 1024;

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
    { memoryBytes, diskBytes }: PartCacheLimits = { memoryBytes: MEMORY_MAX_BYTES, diskBytes: DISK_MAX_BYTES },
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

  /** Parts that are held whole, whose box covers this one and whose window shares time with it; in no order. */
  wholeOver(layer: Layer, { bbox, window }: Part): readonly WholePart[] {
    const over: WholePart[] = [];
    for (const held of this.#memory.values()) {
      if (held.truncated || held.layer !== layer) continue;
      const sharesTime = held.window.start < window.end && held.window.end > window.start;
      if (sharesTime && bboxCovers(held.bbox, bbox)) over.push(held);
    }
    return [...over, ...(this.#disk?.wholeOver(layer, { bbox, window }) ?? [])];
  }

  put(part: HistoryPart): void {
    this.#memory.set(partKey(part.layer, part), part);
    this.#disk?.put(part);
  }

  close(): void {
    this.#disk?.close();
  }
}

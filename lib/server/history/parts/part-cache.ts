import 'server-only';
import { LRUCache } from 'lru-cache';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import { bboxCovers, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import {
  type HistoryPart,
  type LayerPart,
  type PartHead,
  type PastPart,
  partKey,
  type WholePart,
} from './history-part.ts';
import type { StoredParts } from './stored-parts.ts';

/** Memory for bodies: about ten million compressed observations. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;
/** Memory of a part without its body. */
export const ENTRY_BYTES = 1400;
/** Memory of a stretch of its reception. */
const STRETCH_BYTES = 80;
/** The upstream, or an update of Lookout, may mend unreadable records. */
const UNREADABLE_KEPT_MS = 5 * MINUTE_MS;
/** Heads in memory, half a kilobyte each. */
const HEADS_MAX = 40_000;
/** A stored part is looked up again after this: another server may have evicted it. */
const STORED_TTL_MS = HOUR_MS;

export interface PartCacheLimits {
  readonly memoryBytes?: number;
  readonly unreadableMs?: number;
}

/**
 * Settled parts never change. The database saves requests after restarts and at other servers. Parts with unreadable
 * records stay in memory, for minutes.
 */
export class PartCache {
  readonly #memory: LRUCache<string, HistoryPart>;
  readonly #index = new PartIndex();
  readonly #stored: StoredParts | undefined;
  readonly #unreadableMs: number;

  /** @param stored `undefined`: memory alone */
  constructor(
    stored?: StoredParts,
    { memoryBytes = MEMORY_MAX_BYTES, unreadableMs = UNREADABLE_KEPT_MS }: PartCacheLimits = {},
  ) {
    this.#stored = stored;
    this.#unreadableMs = unreadableMs;
    this.#memory = new LRUCache({
      maxSize: memoryBytes,
      sizeCalculation: ({ body, reception = [] }) => body.byteLength + ENTRY_BYTES + reception.length * STRETCH_BYTES,
      dispose: (_, key) => {
        if (this.#index.get(key)?.isStored === false) this.#index.delete(key);
      },
      noDisposeOnSet: true,
    });
  }

  get memoryBytes(): number {
    return this.#memory.calculatedSize;
  }

  async learn(boxes: readonly LayerPart[]): Promise<void> {
    for (const [layer, box] of wholeBoxes(boxes)) {
      const heads = (await this.#fromStore((stored) => stored.headsOver(layer, box))) ?? [];
      for (const head of heads) this.#index.add(head);
    }
  }

  has(layer: Layer, part: PastPart): boolean {
    return this.head(layer, part) !== undefined;
  }

  head(layer: Layer, part: PastPart): Pick<HistoryPart, 'records' | 'truncated'> | undefined {
    const key = partKey(layer, part);
    return this.#memory.has(key) ? this.#memory.peek(key) : this.#index.get(key);
  }

  /** The complete parts, without unreadable records, that cover the box and overlap its window. */
  wholeOver(layer: Layer, box: PastPart): readonly WholePart[] {
    return this.#index.wholeOver(layer, box);
  }

  async get(layer: Layer, part: PastPart): Promise<HistoryPart | undefined> {
    return (await this.getAll(layer, [part])).get(partKey(layer, part));
  }

  /** Reads many parts with few statements. */
  async getAll(layer: Layer, parts: readonly PastPart[]): Promise<ReadonlyMap<string, HistoryPart>> {
    const found = new Map<string, HistoryPart>();
    const missing: PastPart[] = [];
    for (const part of parts) {
      const key = partKey(layer, part);
      const inMemory = this.#memory.get(key);
      if (inMemory) found.set(key, inMemory);
      else if (this.#index.get(key)) missing.push(part);
    }
    for (const [key, part] of await this.#readStored(layer, missing)) found.set(key, part);
    return found;
  }

  /** Finds a part, also one that another server stored. */
  async find(layer: Layer, part: PastPart): Promise<HistoryPart | undefined> {
    const known = await this.get(layer, part);
    return known ?? (await this.#readStored(layer, [part])).get(partKey(layer, part));
  }

  async put(part: HistoryPart): Promise<void> {
    this.#keep(part, false);
    if (part.unreadable > 0) return;
    const evicted = await this.#fromStore((stored) => stored.put(part));
    if (!evicted) return;
    this.#index.add(headOf(part, true));
    for (const key of evicted) this.#forget(key);
  }

  keep(part: HistoryPart): void {
    this.#keep(part, this.#stored !== undefined);
  }

  #keep(part: HistoryPart, isStored: boolean): void {
    const key = partKey(part.layer, part);
    if (part.unreadable > 0) {
      this.#memory.set(key, part, { ttl: this.#unreadableMs });
      return;
    }
    if (!this.#index.get(key)?.isStored) this.#index.add(headOf(part, isStored));
    this.#memory.set(key, part);
    // A part larger than all of memory is not kept.
    if (!isStored && !this.#memory.has(key) && !this.#index.get(key)?.isStored) this.#index.delete(key);
  }

  /** Forgets that the part is stored. It stays in the index while memory still has it. */
  #forget(key: string): void {
    const part = this.#memory.peek(key);
    if (part) this.#index.add(headOf(part, false));
    else this.#index.delete(key);
  }

  async #readStored(layer: Layer, parts: readonly PastPart[]): Promise<ReadonlyMap<string, HistoryPart>> {
    if (parts.length === 0) return new Map();
    const read = await this.#fromStore((stored) => stored.read(layer, parts));
    if (!read) return new Map();
    for (const part of parts) {
      const key = partKey(layer, part);
      const found = read.get(key);
      if (found) this.#keep(found, true);
      // The part was evicted, or cannot be read.
      else this.#index.delete(key);
    }
    return read;
  }

  async #fromStore<Result>(use: (stored: StoredParts) => Promise<Result>): Promise<Result | undefined> {
    return this.#stored?.attempt(use);
  }
}

function headOf({ layer, bbox, window, records, truncated }: HistoryPart, isStored: boolean): PartHead {
  return { layer, bbox, window, records, truncated, isStored };
}

function wholeBoxes(boxes: readonly LayerPart[]): readonly (readonly [Layer, PastPart])[] {
  const byPlace = Map.groupBy(boxes, ({ layer, bbox }) => `${layer} ${formatBbox(bbox)}`);
  return [...byPlace.values()].map((same) => {
    const [{ layer, bbox }] = same as [LayerPart];
    const starts = same.map(({ window }) => window.start);
    const ends = same.map(({ window }) => window.end);
    const start = starts.reduce((one, other) => (other < one ? other : one));
    const end = ends.reduce((one, other) => (other > one ? other : one));
    return [layer, { bbox, window: { start, end } }];
  });
}

/** Finds parts without their bodies, by key or by place and hour. */
class PartIndex {
  readonly #heads = new LRUCache<string, PartHead>({
    max: HEADS_MAX,
    dispose: (head, key) => this.#unlist(head, key),
    noDisposeOnSet: true,
  });
  /** Keys by layer and the hour in which the window starts. */
  readonly #places = new Map<string, Set<string>>();

  get(key: string): PartHead | undefined {
    return this.#heads.get(key);
  }

  add(head: PartHead): void {
    const key = partKey(head.layer, head);
    this.#heads.set(key, head, head.isStored ? { ttl: STORED_TTL_MS } : {});
    const place = placeName(head.layer, hourOf(head));
    const keys = this.#places.get(place);
    if (keys) keys.add(key);
    else this.#places.set(place, new Set([key]));
  }

  delete(key: string): void {
    this.#heads.delete(key);
  }

  /** The whole parts that cover the box and overlap the window. */
  wholeOver(layer: Layer, { bbox, window }: PastPart): readonly PartHead[] {
    const found: PartHead[] = [];
    const first = Math.floor((epochMs(window.start) - HISTORY_MAX_WINDOW_MS) / HOUR_MS);
    const last = Math.floor(epochMs(window.end) / HOUR_MS);
    for (let hour = first; hour <= last; hour++) {
      for (const key of this.#places.get(placeName(layer, hour)) ?? []) {
        const head = this.#heads.peek(key);
        if (!head || head.truncated) continue;
        const sharesTime = head.window.start < window.end && head.window.end > window.start;
        if (sharesTime && bboxCovers(head.bbox, bbox)) found.push(head);
      }
    }
    return found;
  }

  #unlist(head: PartHead, key: string): void {
    const place = placeName(head.layer, hourOf(head));
    const keys = this.#places.get(place);
    keys?.delete(key);
    if (keys?.size === 0) this.#places.delete(place);
  }
}

function hourOf({ window }: PastPart): number {
  return Math.floor(epochMs(window.start) / HOUR_MS);
}

function placeName(layer: Layer, hour: number): string {
  return `${layer} ${hour}`;
}

import 'server-only';
import { LRUCache } from 'lru-cache';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import { bboxCovers } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { type Part, partKey } from './history-part.ts';
import type { LayerPart } from './part-columns.ts';

/** Half a kilobyte each. */
const HEADS_MAX = 40_000;
/** Another server may evict a stored part. */
const STORED_TTL_MS = HOUR_MS;

export interface PartHead extends LayerPart {
  readonly records: number;
  readonly truncated: boolean;
  readonly isStored: boolean;
}

export class PartIndex {
  readonly #heads = new LRUCache<string, PartHead>({
    max: HEADS_MAX,
    dispose: (head, key) => this.#unlist(head, key),
    noDisposeOnSet: true,
  });
  /** By layer and the hour in which a window starts. */
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

  /** Each covers the box and overlaps its window. */
  wholeOver(layer: Layer, { bbox, window }: Part): readonly PartHead[] {
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

function hourOf({ window }: Part): number {
  return Math.floor(epochMs(window.start) / HOUR_MS);
}

function placeName(layer: Layer, hour: number): string {
  return `${layer} ${hour}`;
}

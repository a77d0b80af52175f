import 'server-only';
import { LRUCache } from 'lru-cache';
import { READ_TOKENS_MAX } from '#lib/api/outputs/read-token.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

const READS_PER_S = 2;
/** QGIS and ogrinfo open a layer with several requests at once. */
const READS_AT_ONCE = 20;

/** A token bucket of each read token, at this server. */
export class ReadRate {
  readonly #monotonicMs: () => number;
  readonly #buckets = new LRUCache<string, { left: number; atMs: number }>({ max: 2 * READ_TOKENS_MAX });

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** @returns 0, or after how many seconds to retry */
  take(id: string): number {
    const atMs = this.#monotonicMs();
    const before = this.#buckets.get(id) ?? { left: READS_AT_ONCE, atMs };
    const gained = ((atMs - before.atMs) / SECOND_MS) * READS_PER_S;
    const left = Math.min(READS_AT_ONCE, before.left + gained);
    const isAllowed = left >= 1;
    this.#buckets.set(id, { left: isAllowed ? left - 1 : left, atMs });
    return isAllowed ? 0 : Math.ceil((1 - left) / READS_PER_S);
  }
}

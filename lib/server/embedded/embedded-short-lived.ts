import 'server-only';
import { LRUCache } from 'lru-cache';
import type { LocalInstant } from '#lib/time/instant.ts';
import {
  isAlive,
  SHORT_LIVED_MAX,
  SHORT_LIVED_OF_SENDER_MAX,
  type ShortLived,
  type ShortLivedName,
} from '../ports/short-lived.ts';

interface Kept {
  readonly value: string;
  readonly at: LocalInstant;
}

/** In the memory of one server: after a restart, people ask again. */
export class EmbeddedShortLived implements ShortLived {
  readonly #now: () => LocalInstant;
  readonly #kept = new Map<ShortLivedName['kind'], LRUCache<string, Kept>>();
  /** Names by kind and sender. */
  readonly #ofSender = new LRUCache<string, readonly string[]>({ max: SHORT_LIVED_MAX });

  constructor(now: () => LocalInstant) {
    this.#now = now;
  }

  async keep(name: ShortLivedName, value: string, sender?: string): Promise<boolean> {
    const kept = this.#of(name);
    const isNew = this.#find(name) === undefined;
    // Deleted first, so that it is the latest.
    kept.delete(name.of);
    kept.set(name.of, { value, at: this.#now() });
    if (sender !== undefined) this.#makeWay(name, sender);
    return isNew;
  }

  async read(name: ShortLivedName): Promise<string | undefined> {
    return this.#find(name);
  }

  async take(name: ShortLivedName): Promise<string | undefined> {
    const value = this.#find(name);
    this.#of(name).delete(name.of);
    return value;
  }

  #find(name: ShortLivedName): string | undefined {
    const kept = this.#of(name).peek(name.of);
    return kept && isAlive(name, kept.at, this.#now()) ? kept.value : undefined;
  }

  #makeWay(name: ShortLivedName, sender: string): void {
    const kept = this.#of(name);
    const key = `${name.kind} ${sender}`;
    const own = [...(this.#ofSender.get(key) ?? []).filter((of) => of !== name.of && kept.has(of)), name.of];
    for (const oldest of own.splice(0, own.length - SHORT_LIVED_OF_SENDER_MAX)) kept.delete(oldest);
    this.#ofSender.set(key, own);
  }

  #of({ kind }: ShortLivedName): LRUCache<string, Kept> {
    const kept = this.#kept.get(kind) ?? new LRUCache<string, Kept>({ max: SHORT_LIVED_MAX });
    this.#kept.set(kind, kept);
    return kept;
  }
}

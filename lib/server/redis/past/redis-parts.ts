import 'server-only';
import type { Logger } from 'pino';
import type { Layer } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type HistoryPart, type Part, partKey } from '../../parts/history-part.ts';
import type { Lease, Leases } from '../../ports/lease.ts';
import type { SharedParts, Taken, Turn } from '../../ports/shared-parts.ts';
import { SharedStoreFailure } from '../../ports/shared-store-failure.ts';
import { withinMs } from '../../upstream/unless-aborted.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { isWrongType } from '../set-aside.ts';
import { PartStore } from './part-store.ts';
import { readStoredPart } from './stored-part.ts';

export interface RedisPartsOptions {
  readonly connection: Pick<RedisConnection, 'send' | 'run' | 'subscribe'>;
  /** Names the upstream account in keys. */
  readonly account: string;
  readonly leases: Leases;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
  /** Of all parts in the store. */
  readonly maxBytes?: number;
  /** How often who waits looks himself, should he have missed that it ended. */
  readonly pollMs?: number;
}

/** A server that is gone delays the parts that it was asking for by no more than this. */
export const TURN_MS = 5 * SECOND_MS;
const RENEWED_EVERY_MS = 1.5 * SECOND_MS;
/** Longer than any request takes, with its wait for a connection. */
const TURN_MAX_MS = 2 * MINUTE_MS;
const POLL_MS = SECOND_MS;
/** Bodies that are read with one command, of about 20 kB each: it must not take a second. */
const READ_AT_ONCE = 32;
/** Names the part whose turn has ended. */
const ENDED = redisKey('parts', 'ended');

/** The parts of several servers: each is asked for under a lease of its name, and kept in the store once it was read. */
export class RedisParts implements SharedParts {
  readonly #options: RedisPartsOptions;
  readonly #store: PartStore;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: RedisPartsOptions) {
    this.#options = options;
    const { connection, account, maxBytes } = options;
    this.#store = new PartStore(connection, account, maxBytes);
    connection.subscribe(ENDED, (key) => {
      for (const wake of this.#waiting.get(key) ?? []) wake();
    });
  }

  async *over(layer: Layer, boxes: readonly Part[], isCached: (part: Part) => boolean): AsyncGenerator<HistoryPart> {
    try {
      const kept = await this.#store.over(layer, boxes);
      const wanted = kept.flatMap(({ key, part }) => (isCached(part) ? [] : [key]));
      for (let first = 0; first < wanted.length; first += READ_AT_ONCE) {
        const keys = wanted.slice(first, first + READ_AT_ONCE);
        for (const [at, body] of (await this.#store.bodies(keys)).entries()) {
          const part = body && (await this.#part(body, keys[at] as string));
          if (part) yield part;
        }
      }
    } catch (error) {
      // What is cached here is enough for whoever asks for nothing else.
      await this.#ignoreFailure(error);
    }
  }

  async take(layer: Layer, part: Part, signal: AbortSignal): Promise<Taken> {
    const { leases, now, pollMs = POLL_MS } = this.#options;
    const key = partKey(layer, part);
    const name = `part:${this.#options.account}:${key}`;
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      // Before it is looked at: what ends in between is heard.
      const ended = this.#ended(key);
      try {
        const read = isFirst ? undefined : await this.#read(key);
        if (read) return { kind: 'read', part: read };
        const lease = await leases.acquire(name, TURN_MS, now());
        if (lease) return await this.#begin(key, lease, signal);
        await withinMs(ended.promise, pollMs, signal);
      } finally {
        ended.forget();
      }
    }
  }

  async #begin(key: string, lease: Lease, signal: AbortSignal): Promise<Taken> {
    const turn = this.#turn(key, lease);
    try {
      // Whoever asked before may have ended just now.
      const read = await this.#read(key);
      signal.throwIfAborted();
      if (!read) return turn;
      await turn.end(undefined);
      return { kind: 'read', part: read };
    } catch (error) {
      await turn.end(undefined);
      throw error;
    }
  }

  #turn(key: string, lease: Lease): Turn {
    const { connection, leases, now } = this.#options;
    const begunAt = now();
    const renewal = setInterval(() => {
      if (msBetween(begunAt, now()) > TURN_MAX_MS) clearInterval(renewal);
      else leases.renew(lease, TURN_MS, now()).catch((error: unknown) => this.#ignoreFailure(error));
    }, RENEWED_EVERY_MS);
    renewal.unref();
    return {
      kind: 'turn',
      end: async (read) => {
        clearInterval(renewal);
        try {
          if (read) await this.#store.put(read, lease);
        } catch (error) {
          await this.#ignoreFailure(error);
        }
        try {
          await leases.release(lease);
          await connection.send(['PUBLISH', ENDED, key]);
        } catch (error) {
          await this.#ignoreFailure(error);
        }
      },
    };
  }

  async #read(key: string): Promise<HistoryPart | undefined> {
    const body = await this.#store.body(key);
    return body === null ? undefined : await this.#part(body, key);
  }

  /** What cannot be read counts as not there, and is replaced when it is read anew. */
  async #part(body: Buffer, key: string): Promise<HistoryPart | undefined> {
    try {
      return await readStoredPart(body, key);
    } catch (error) {
      this.#options.log.warn({ err: error, part: key }, 'a part of the past in the shared store cannot be read');
      return undefined;
    }
  }

  #ended(key: string): { readonly promise: Promise<void>; forget(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key) ?? new Set();
    waiting.add(resolve);
    this.#waiting.set(key, waiting);
    return {
      promise,
      forget: () => {
        waiting.delete(resolve);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
      },
    };
  }

  async #ignoreFailure(error: unknown): Promise<void> {
    if (error instanceof SharedStoreFailure) return;
    if (!isWrongType(error)) throw error;
    const aside = await this.#store.setWrongAside().catch(() => []);
    this.#options.log.warn({ set_aside_as: aside }, 'an unreadable index of parts of the past was set aside');
  }
}

import 'server-only';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';

const TEXTS = redisKey('demand');
const STAMPS = redisKey('demand', 'stamps');
const CHANNEL = redisKey('demand', 'published');
/** All servers are gone by then, and their viewers too. */
const KEPT_MS = 2 * MINUTE_MS;

const KEEP = redisScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for index = 1, 2 do redis.call('PEXPIRE', KEYS[index], ARGV[4]) end`);

/** Names and values in turn: as the answer of a script it is the same in every version of the protocol. */
const READ_STAMPS = redisScript(`return redis.call('HGETALL', KEYS[1])`);

const FORGET = redisScript(`for index = 1, 2 do redis.call('HDEL', KEYS[index], unpack(ARGV)) end`);

/** What is looked at at each server: its latest text, by the id of the server. */
export class RedisDemands {
  readonly #connection: RedisConnection;
  /** Of the texts that were read. */
  #stamps: Readonly<Record<string, string>> = {};

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** Called with each text that is published while there is a connection. */
  onPublished(listener: (text: string) => void): void {
    this.#connection.subscribe(CHANNEL, listener);
  }

  /** To all who listen; nothing is kept. @throws RedisFailure */
  async publish(text: string): Promise<void> {
    await this.#connection.send(['PUBLISH', CHANNEL, text]);
  }

  /** @param stamp another one for each text of the server. @throws RedisFailure */
  async keep(replica: string, stamp: string, text: string): Promise<void> {
    await this.#connection.run(KEEP, [TEXTS, STAMPS], [replica, stamp, text, String(KEPT_MS)]);
  }

  /** Those that are new since the last call. @throws RedisFailure */
  async changes(): Promise<readonly { readonly replica: string; readonly text: string }[]> {
    const flat = (await this.#connection.run(READ_STAMPS, [STAMPS], [])) as string[];
    const stamps: Record<string, string> = {};
    for (let index = 0; index < flat.length; index += 2) stamps[flat[index] as string] = flat[index + 1] as string;
    const changed = Object.keys(stamps).filter((replica) => this.#stamps[replica] !== stamps[replica]);
    if (changed.length === 0) return [];
    const texts = (await this.#connection.send(['HMGET', TEXTS, ...changed])) as (string | null)[];
    this.#stamps = stamps;
    return changed.flatMap((replica, index) => {
      const text = texts[index] ?? null;
      return text === null ? [] : [{ replica, text }];
    });
  }

  /** All texts are new again, for one who begins to plan. */
  forgetRead(): void {
    this.#stamps = {};
  }

  /** Servers that are gone. @throws RedisFailure */
  async forget(replicas: readonly string[]): Promise<void> {
    if (replicas.length > 0) await this.#connection.run(FORGET, [TEXTS, STAMPS], replicas);
  }
}

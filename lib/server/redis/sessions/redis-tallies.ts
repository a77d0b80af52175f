import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { epochMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import type { Tallies, Tally, TallyChange, TallyKind, TallyName } from '../../ports/tallies.ts';
import { tallyEnd } from '../../session/tally.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { RedisFailure } from '../connection/redis-failure.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { isWrongType, setAside } from './set-aside.ts';

export interface RedisTalliesOptions {
  readonly connection: Pick<RedisConnection, 'send' | 'run'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'warn'>;
  /** Of each kind. */
  readonly keptMax?: number;
}

/** About 150 bytes each. */
const KEPT_MAX = 100_000;
/** By the store's clock, after the last attempt of a kind; no tally lasts longer than a day. */
const UNUSED_MS = 2 * DAY_MS;
/** Against others who write the same tallies. */
const MAX_TRIES = 100;
const WAIT_MAX_MS = 10;

const READ = redisScript(`
local found = {}
for index = 1, #ARGV do found[index] = redis.call('HGET', KEYS[index], ARGV[index]) end
return found`);

/** KEYS: of each tally its hash and the index of ends. ARGV: now, the most of a kind, and of each its field, what was read, what to write, its end. */
const REPLACE = redisScript(`
for index = 1, #KEYS / 2 do
  local at = 4 * index - 1
  if (redis.call('HGET', KEYS[2 * index - 1], ARGV[at]) or '') ~= ARGV[at + 1] then return 0 end
end
for index = 1, #KEYS / 2 do
  local hash, ends, at = KEYS[2 * index - 1], KEYS[2 * index], 4 * index - 1
  redis.call('HDEL', hash, ARGV[at])
  redis.call('ZREM', ends, ARGV[at])
  for _, field in ipairs(redis.call('ZRANGE', ends, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 100)) do
    redis.call('HDEL', hash, field)
    redis.call('ZREM', ends, field)
  end
  if ARGV[at + 2] ~= '' then
    redis.call('HSET', hash, ARGV[at], ARGV[at + 2])
    redis.call('ZADD', ends, ARGV[at + 3], ARGV[at])
    while redis.call('ZCARD', ends) > tonumber(ARGV[2]) do redis.call('HDEL', hash, redis.call('ZPOPMIN', ends)[1]) end
  end
  redis.call('PEXPIRE', hash, ${UNUSED_MS})
  redis.call('PEXPIRE', ends, ${UNUSED_MS})
end
return 1`);

const hashOf = (kind: TallyKind) => redisKey('throttle', kind);
const endsOf = (kind: TallyKind) => redisKey('throttle', kind, 'ends');

/** The tallies that several servers share: each change is written if nobody has written the same ones meanwhile, and otherwise made anew. */
export class RedisTallies implements Tallies {
  readonly #options: RedisTalliesOptions;

  constructor(options: RedisTalliesOptions) {
    this.#options = options;
  }

  async change<Result>(
    names: readonly TallyName[],
    now: LocalInstant,
    change: (tallies: readonly (Tally | undefined)[]) => TallyChange<Result>,
  ): Promise<Result> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await delay(this.#options.random() * Math.min(WAIT_MAX_MS, tries));
      try {
        const texts = await this.#read(names);
        const { result, tallies } = change(texts.map((text) => this.#tally(text, now)));
        if (tallies === undefined || (await this.#replace(names, now, texts, tallies))) return result;
      } catch (error) {
        if (!isWrongType(error)) throw error;
        await this.#setWrongAside(names);
      }
    }
    throw new RedisFailure('slow', 'others wrote the same tallies each time', false);
  }

  async #read(names: readonly TallyName[]): Promise<readonly (string | null)[]> {
    const [keys, fields] = [names.map(({ kind }) => hashOf(kind)), names.map(({ of }) => digest(of))];
    return (await this.#options.connection.run(READ, keys, fields)) as (string | null)[];
  }

  async #setWrongAside(names: readonly TallyName[]): Promise<void> {
    const { connection, log } = this.#options;
    const expected = names.flatMap(({ kind }) => [[hashOf(kind), 'hash'] as const, [endsOf(kind), 'zset'] as const]);
    for (const [key, type] of expected) {
      const found = await connection.send(['TYPE', key]);
      if (found === 'none' || found === type) continue;
      log.warn({ key, set_aside_as: await setAside(connection, key) }, 'unreadable tallies of sign-ins were set aside');
    }
  }

  async #replace(
    names: readonly TallyName[],
    now: LocalInstant,
    before: readonly (string | null)[],
    after: readonly (Tally | undefined)[],
  ): Promise<boolean> {
    const keys = names.flatMap(({ kind }) => [hashOf(kind), endsOf(kind)]);
    const args = names.flatMap(({ of }, index) => {
      const tally = after[index];
      return [
        digest(of),
        before[index] ?? '',
        tally ? textOf(tally) : '',
        String(tally ? epochMs(tallyEnd(tally)) : 0),
      ];
    });
    const { connection, keptMax = KEPT_MAX } = this.#options;
    return (await connection.run(REPLACE, keys, [String(epochMs(now)), String(keptMax), ...args])) === 1;
  }

  #tally(text: string | null, now: LocalInstant): Tally | undefined {
    if (text === null) return undefined;
    const [, count, countedUntil, delayedUntil] = /^(\d{1,9}) (\d{1,15}) (\d{1,15})$/.exec(text) ?? [];
    if (count === undefined) {
      this.#options.log.warn({ text: text.slice(0, 100) }, 'an unreadable tally of sign-ins begins anew');
      return undefined;
    }
    const tally = {
      count: Number(count),
      countedUntil: localInstant(Number(countedUntil)),
      delayedUntil: localInstant(Number(delayedUntil)),
    };
    return now < tallyEnd(tally) ? tally : undefined;
  }
}

function textOf({ count, countedUntil, delayedUntil }: Tally): string {
  return [count, epochMs(countedUntil), epochMs(delayedUntil)].map((each) => String(Math.round(each))).join(' ');
}

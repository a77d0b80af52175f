import 'server-only';
import type { Logger } from 'pino';
import { epochMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import {
  isAlive,
  SHORT_LIVED_MAX,
  SHORT_LIVED_MS,
  SHORT_LIVED_OF_SENDER_MAX,
  type ShortLived,
  type ShortLivedName,
} from '../../ports/short-lived.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { isWrongType, setAside } from './set-aside.ts';

export interface RedisShortLivedOptions {
  readonly connection: Pick<RedisConnection, 'run' | 'send'>;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
  /** Of each kind. */
  readonly keptMax?: number;
}

/** The store forgets by its own clock: so much later than we, whose clock decides. */
const SLACK_MS = MINUTE_MS;
const INDEX_MS = DAY_MS;

/** KEYS: the entry, all of its kind, those of its sender or none. ARGV: text, now, life, the most of a kind. An index has the keys of entries. */
const KEEP = redisScript(`
local before = redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3] + ${SLACK_MS}, 'GET')
local function first(index) return redis.call('ZPOPMIN', index)[1] end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[2] - ARGV[3] - ${SLACK_MS})
redis.call('ZADD', KEYS[2], ARGV[2], KEYS[1])
redis.call('PEXPIRE', KEYS[2], ${INDEX_MS})
while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) do redis.call('DEL', first(KEYS[2])) end
if KEYS[3] then
  redis.call('ZADD', KEYS[3], ARGV[2], KEYS[1])
  redis.call('PEXPIRE', KEYS[3], ${INDEX_MS})
  if redis.call('ZCARD', KEYS[3]) > ${SHORT_LIVED_OF_SENDER_MAX} then
    for _, key in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
      if redis.call('EXISTS', key) == 0 then redis.call('ZREM', KEYS[3], key) end
    end
  end
  while redis.call('ZCARD', KEYS[3]) > ${SHORT_LIVED_OF_SENDER_MAX} do
    local key = first(KEYS[3])
    redis.call('DEL', key)
    redis.call('ZREM', KEYS[2], key)
  end
end
return before`);

const TAKE = redisScript(`
redis.call('ZREM', KEYS[2], KEYS[1])
return redis.call('GETDEL', KEYS[1])`);

const keyOf = ({ kind, of }: ShortLivedName) => redisKey('short-lived', kind, digest(of));
const indexOf = ({ kind }: ShortLivedName) => redisKey('short-lived', kind);

/** Shared by several servers. A flush forgets all of it, and people ask again; nothing that was used up comes back by it. */
export class RedisShortLived implements ShortLived {
  readonly #options: RedisShortLivedOptions;

  constructor(options: RedisShortLivedOptions) {
    this.#options = options;
  }

  async keep(name: ShortLivedName, value: string, sender?: string): Promise<boolean> {
    const { connection, now, keptMax = SHORT_LIVED_MAX } = this.#options;
    const nowMs = Math.round(epochMs(now()));
    const keys = [keyOf(name), indexOf(name), ...(sender === undefined ? [] : [`${indexOf(name)}:${digest(sender)}`])];
    const args = [`${nowMs} ${value}`, nowMs, SHORT_LIVED_MS[name.kind], keptMax].map(String);
    const before = await this.#text(name, () => connection.run(KEEP, keys, args), true);
    return before === undefined;
  }

  async read(name: ShortLivedName): Promise<string | undefined> {
    const { connection } = this.#options;
    return this.#text(name, () => connection.send(['GET', keyOf(name)]));
  }

  async take(name: ShortLivedName): Promise<string | undefined> {
    const { connection } = this.#options;
    return this.#text(name, () => connection.run(TAKE, [keyOf(name), indexOf(name)], []));
  }

  /** The value in what a command answers. @param again whether to give the command once more where a key was set aside */
  async #text(name: ShortLivedName, ask: () => Promise<unknown>, again = false): Promise<string | undefined> {
    const { connection, now, log } = this.#options;
    let text: string | null;
    try {
      text = (await ask()) as string | null;
    } catch (error) {
      if (!isWrongType(error)) throw error;
      const keys = [keyOf(name), indexOf(name)];
      for (const key of keys)
        log.warn({ key, set_aside_as: await setAside(connection, key) }, 'what was kept for minutes cannot be read');
      return again ? this.#text(name, ask) : undefined;
    }
    const [, at, value] = /^(\d{1,15}) (.*)$/s.exec(text ?? '') ?? [];
    if (at === undefined || value === undefined) return undefined;
    return isAlive(name, localInstant(Number(at)), now()) ? value : undefined;
  }
}

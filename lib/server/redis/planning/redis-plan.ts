import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Lease } from '../../ports/lease.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { leaseKey } from '../redis-leases.ts';

const KEY = redisKey('plan');
const CHANNEL = redisKey('plan', 'published');
/** Of a fleet whose servers are all gone; the next one begins with a new plan. */
const KEPT_MS = 10 * MINUTE_MS;
/** How long something that could not be read is kept for whoever wants to know why. */
const SET_ASIDE_MS = 7 * DAY_MS;

/** Refused where a later lease was given, whether its holder has written or not: a planner that stood still writes nothing. */
const PUBLISH = redisScript(`
local fence = tonumber(ARGV[1])
if (tonumber(redis.call('HGET', KEYS[2], 'fence') or 0) or 0) > fence then return 'refused' end
if (tonumber(redis.call('HGET', KEYS[1], 'fence') or 0) or 0) > fence then return 'refused' end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'text', ARGV[3])
elseif redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 'missing' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[5], ARGV[4])
return 'published'`);

const SET_ASIDE = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1`);

/** The plan that one server makes and the others follow: the latest text, kept, and published to all who listen. */
export class RedisPlan {
  readonly #connection: RedisConnection;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(connection: RedisConnection, log: Pick<Logger, 'warn'>) {
    this.#connection = connection;
    this.#log = log;
  }

  /** Called with each text that is published while there is a connection. */
  onPublished(listener: (text: string) => void): void {
    this.#connection.subscribe(CHANNEL, listener);
  }

  /**
   * @param kept the plan; `undefined` where it has not changed
   * @param published to all who listen
   * @returns `refused` where another lease was given; `missing` where an unchanged plan is not there any more, and nothing was published
   * @throws RedisFailure
   */
  async publish(
    lease: Lease,
    kept: string | undefined,
    published: string,
  ): Promise<'published' | 'refused' | 'missing'> {
    const args = [String(lease.fence), String(KEPT_MS), kept ?? '', published, CHANNEL];
    return (await this.#connection.run(PUBLISH, [KEY, leaseKey(lease.name)], args)) as
      | 'published'
      | 'refused'
      | 'missing';
  }

  /** To all who listen, without a plan. @throws RedisFailure */
  async say(text: string): Promise<void> {
    await this.#connection.send(['PUBLISH', CHANNEL, text]);
  }

  /** `undefined` where there is none. @throws RedisFailure */
  async read(): Promise<string | undefined> {
    try {
      return ((await this.#connection.send(['HGET', KEY, 'text'])) as string | null) ?? undefined;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('WRONGTYPE'))) throw error;
      return '';
    }
  }

  /** What is there cannot be read. @throws RedisFailure */
  async setAside(): Promise<void> {
    const aside = redisKey('unreadable', `plan-${randomUUID().slice(0, 8)}`);
    await this.#connection.run(SET_ASIDE, [KEY, aside], [String(SET_ASIDE_MS)]);
    this.#log.warn({ key: KEY, set_aside_as: aside }, 'an unreadable plan was set aside');
  }
}

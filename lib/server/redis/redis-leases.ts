import 'server-only';
import { randomUUID } from 'node:crypto';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Lease, Leases } from '../ports/lease.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';

/** By the store's clock, beside the time of the lease, which is the caller's. */
const KEPT_MS = MINUTE_MS;

/**
 * A fence is at least the microsecond of the server's clock: after a flush or a failover to a replica that lags it goes on above all before it. It
 * has at most 16 digits, which a number holds exactly until the year 2255.
 */
const ACQUIRE = redisScript(`
local lease = redis.call('HMGET', KEYS[1], 'fence', 'ends_at', 'holder')
local now, ends_at, holder = tonumber(ARGV[1]), ARGV[2], ARGV[3]
if (tonumber(lease[2] or 0) or 0) > now and lease[3] ~= ARGV[5] then return false end
local time = redis.call('TIME')
local clock = tonumber(time[1]) * 1000000 + tonumber(time[2])
local fence = string.format('%.0f', math.max((tonumber(lease[1] or 0) or 0) + 1, clock))
redis.call('HSET', KEYS[1], 'fence', fence, 'ends_at', ends_at, 'holder', holder)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return fence`);

const RENEW = redisScript(`
local lease = redis.call('HMGET', KEYS[1], 'fence', 'ends_at')
if lease[1] ~= ARGV[1] or (tonumber(lease[2] or 0) or 0) <= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'ends_at', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`);

const RELEASE = redisScript(`
if redis.call('HGET', KEYS[1], 'fence') == ARGV[1] then redis.call('HSET', KEYS[1], 'ends_at', '0') end`);

/** For scripts that write under a fence: the hash with the latest `fence` of the lease, gone some time after its end. */
export function leaseKey(name: string): string {
  return redisKey('lease', name);
}

/** The leases of several servers. */
export class RedisLeases implements Leases {
  readonly #connection: RedisConnection;
  /** By name, of leases that were asked for without an answer: they may be ours, and the next try takes them over. */
  readonly #unanswered = new Map<string, { readonly holder: string; readonly endsMs: number }>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** @throws RedisFailure where it is not known that it was acquired */
  async acquire(name: string, ttlMs: number, now: LocalInstant): Promise<Lease | undefined> {
    const holder = randomUUID();
    const [nowMs, endsMs] = [epochMs(now), epochMs(now) + ttlMs];
    const args = [nowMs, endsMs, holder, ttlMs + KEPT_MS, this.#unanswered.get(name)?.holder ?? holder].map(String);
    try {
      const fence = await this.#connection.run(ACQUIRE, [leaseKey(name)], args);
      this.#unanswered.delete(name);
      return fence === null ? undefined : { name, fence: Number(fence) };
    } catch (error) {
      if (error instanceof RedisFailure && error.isUnknown) {
        for (const [each, lease] of this.#unanswered) if (lease.endsMs <= nowMs) this.#unanswered.delete(each);
        this.#unanswered.set(name, { holder, endsMs });
      }
      throw error;
    }
  }

  /** @throws RedisFailure */
  async renew({ name, fence }: Lease, ttlMs: number, now: LocalInstant): Promise<boolean> {
    const args = [fence, epochMs(now), epochMs(now) + ttlMs, ttlMs + KEPT_MS].map(String);
    return (await this.#connection.run(RENEW, [leaseKey(name)], args)) === 1;
  }

  async release({ name, fence }: Lease): Promise<void> {
    try {
      await this.#connection.run(RELEASE, [leaseKey(name)], [String(fence)]);
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof RedisFailure)) throw error;
    }
  }
}

import 'server-only';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';
import { leaseKey } from './redis-leases.ts';

/** What is known of a snapshot without its records. */
interface IndexEntry {
  readonly key: string;
  readonly sequence: number;
  readonly fetchedAt: UpstreamInstant;
}

export interface Changes {
  /** Another one after the store has lost everything. */
  readonly run: string;
  readonly version: number;
  /** Whether the entries are all that there are, or those that changed. */
  readonly isAll: boolean;
  readonly entries: readonly IndexEntry[];
  readonly forgotten: readonly string[];
}

/** Of another form of the frame nothing can be read, so its keys are others. */
const ROOM = `snapshots-${FORMAT_VERSION.toString(16)}`;
const [META, HEADS, CHANGES] = ['meta', 'heads', 'changes'].map((part) => redisKey(ROOM, part)) as [
  string,
  string,
  string,
];
/** Nobody has forgotten it by then: all servers are gone. */
const BODY_MS = HOUR_MS;
const INDEX_MS = DAY_MS;
/** Of areas that were forgotten, beside as many as there are. */
const TOMBSTONES_MAX = 1000;

/** A head is `FENCE SEQUENCE FETCHED_AT_MS`. */
const PUT = redisScript(`
local area, fence, sequence_min = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
if (tonumber(redis.call('HGET', KEYS[5], 'fence') or 0) or 0) > fence then return false end
local head = redis.call('HGET', KEYS[2], area)
local sequence
if head then
  local fence_before, sequence_before = string.match(head, '^(%d+) (%d+) ')
  if tonumber(fence_before) > fence then return false end
  sequence = tonumber(sequence_before) + 1
else
  sequence = math.max(tonumber(redis.call('HGET', KEYS[1], 'forgotten') or 0), sequence_min) + 1
end
local text = string.format('%.0f', sequence)
redis.call('SET', KEYS[4], text .. '\\n' .. ARGV[4], 'PX', ARGV[7])
redis.call('HSETNX', KEYS[1], 'run', ARGV[6])
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[2], area, ARGV[2] .. ' ' .. text .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[3], version, area)
for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ARGV[8]) end
return sequence`);

const READ_CHANGES = redisScript(`
local meta = redis.call('HMGET', KEYS[1], 'run', 'version', 'floor')
local run, version, since = meta[1] or '', tonumber(meta[2] or 0), tonumber(ARGV[2])
if run == ARGV[1] and version == since then return {run, version, 0, {}, {}} end
local is_all = run ~= ARGV[1] or since < tonumber(meta[3] or 0)
if is_all then return {run, version, 1, redis.call('HKEYS', KEYS[2]), redis.call('HVALS', KEYS[2])} end
local areas = redis.call('ZRANGE', KEYS[3], '(' .. ARGV[2], '+inf', 'BYSCORE')
if #areas == 0 then return {run, version, 0, {}, {}} end
return {run, version, 0, areas, redis.call('HMGET', KEYS[2], unpack(areas))}`);

/** ARGV: the time, how many tombstones, the prefix of bodies, the areas to keep. */
const FORGET = redisScript(`
local before, kept, is_changed = tonumber(ARGV[1]), {}, false
for index = 4, #ARGV do kept[ARGV[index]] = true end
local forgotten = tonumber(redis.call('HGET', KEYS[1], 'forgotten') or 0)
local heads = redis.call('HGETALL', KEYS[2])
for index = 1, #heads, 2 do
  local area, sequence, fetched_at = heads[index], string.match(heads[index + 1], '^%d+ (%d+) (%-?%d+)$')
  if tonumber(fetched_at) < before and not kept[area] then
    forgotten = math.max(forgotten, tonumber(sequence))
    redis.call('HDEL', KEYS[2], area)
    redis.call('DEL', ARGV[3] .. area)
    redis.call('ZADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'version', 1), area)
    is_changed = true
  end
end
if not is_changed then return 0 end
redis.call('HSET', KEYS[1], 'forgotten', string.format('%.0f', forgotten))
if redis.call('ZCARD', KEYS[3]) > 2 * redis.call('HLEN', KEYS[2]) + tonumber(ARGV[2]) then
  redis.call('DEL', KEYS[3])
  redis.call('HSET', KEYS[1], 'floor', redis.call('HGET', KEYS[1], 'version'))
end
return 1`);

/** The snapshots in the store: an index of all, which says what changed, and a body for each. */
export class SnapshotIndex {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /**
   * @param sequenceMin the sequence of an area that has none is above it
   * @param run names what is begun, where there is nothing
   * @returns its sequence; `undefined` where a newer lease was given or has written
   * @throws RedisFailure; it may be written where `isUnknown`
   */
  async put(
    area: string,
    lease: { readonly name: string; readonly fence: number },
    fetchedAt: UpstreamInstant,
    body: Buffer,
    sequenceMin: number,
    run: string,
  ): Promise<number | undefined> {
    const keys = [META, HEADS, CHANGES, bodyKey(area), leaseKey(lease.name)];
    const numbers = [sequenceMin, run, BODY_MS, INDEX_MS].map(String);
    const args = [area, String(lease.fence), String(Math.round(epochMs(fetchedAt))), body, ...numbers];
    const sequence = await this.#connection.run(PUT, keys, args);
    return sequence === null ? undefined : Number(sequence);
  }

  /** What changed since then. @throws RedisFailure */
  async changes(run: string, since: number): Promise<Changes> {
    const answer = await this.#connection.run(READ_CHANGES, [META, HEADS, CHANGES], [run, String(since)]);
    const [newRun, version, isAll, areas, heads] = answer as [string, number, number, string[], (string | null)[]];
    const entries: IndexEntry[] = [];
    const forgotten: string[] = [];
    for (const [at, key] of areas.entries()) {
      const entry = entryOf(key, heads[at] ?? null);
      if (entry) entries.push(entry);
      else forgotten.push(key);
    }
    return { run: newRun, version, isAll: isAll === 1, entries, forgotten };
  }

  /** As they are stored; `null` where one is gone. @throws RedisFailure */
  async bodies(areas: readonly string[]): Promise<readonly (Buffer | null)[]> {
    if (areas.length === 0) return [];
    return (await this.#connection.send(['MGET', ...areas.map(bodyKey)], true)) as (Buffer | null)[];
  }

  /** @throws RedisFailure */
  async forgetBefore(fetchedBefore: UpstreamInstant, keep: Iterable<string>): Promise<void> {
    const before = String(Math.round(epochMs(fetchedBefore)));
    const args = [before, String(TOMBSTONES_MAX), bodyKey(''), ...keep];
    await this.#connection.run(FORGET, [META, HEADS, CHANGES], args);
  }
}

function bodyKey(area: string): string {
  return redisKey(ROOM, 'body', area);
}

function entryOf(key: string, head: string | null): IndexEntry | undefined {
  const [, sequence, fetchedAt] = head?.match(/^\d+ (\d+) (-?\d+)$/) ?? [];
  if (sequence === undefined) return undefined;
  return { key, sequence: Number(sequence), fetchedAt: upstreamInstant(Number(fetchedAt)) };
}

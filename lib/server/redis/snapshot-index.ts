import 'server-only';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { LINKS_MAX } from '../live/area-links.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';
import { leaseKey } from './redis-leases.ts';

/** As it is stored. */
export interface StoredArea {
  /** `SEQUENCE PREVIOUS`, a line feed, and the body. */
  readonly full: Buffer;
  /** Of each of the latest snapshots, oldest first: `FROM TO`, a line feed, and the body. */
  readonly links: readonly Buffer[];
}

export interface Changes {
  /** Another one where sequences may come again for other records. */
  readonly run: string;
  /** That of the latest change that was read. */
  readonly version: number;
  /** Whether they begin with the first that there is, and not with what changed. */
  readonly isAll: boolean;
  /** Whether there are further ones. */
  readonly isMore: boolean;
  /** By area; `undefined`: forgotten. */
  readonly areas: ReadonlyMap<string, StoredArea | undefined>;
}

/** What the writer made of an area. */
export interface NewSnapshot {
  readonly area: string;
  readonly fetchedAt: UpstreamInstant;
  readonly full: Buffer;
  /** From the snapshot that the writer has; of no use where the store has another one. */
  readonly link: { readonly run: string; readonly from: number; readonly body: Buffer } | undefined;
}

export interface Written {
  readonly run: string;
  readonly sequence: number;
  /** That of the snapshot before it, or of when that was forgotten or the run began; 0 where there was none. */
  readonly previous: number;
}

/** Of another form of the frame nothing can be read, so its keys are others. */
const ROOM = `snapshots-${FORMAT_VERSION.toString(16)}`;
const META = redisKey(ROOM, 'meta');
const HEADS = redisKey(ROOM, 'heads');
const CHANGES = redisKey(ROOM, 'changes');
/** The prefixes of keys by area. */
const FULL = redisKey(ROOM, 'full', '');
const LINKS = redisKey(ROOM, 'links', '');
/** On which each change is published: `RUN VERSION`. */
const NEWS = redisKey(ROOM, 'news');
/** Nobody has forgotten it by then: all servers are gone. */
const BODY_MS = HOUR_MS;
const INDEX_MS = DAY_MS;
/** Of areas that were forgotten, beside as many as there are. */
const TOMBSTONES_MAX = 1000;
/** Read with one command: a bound on what one answer weighs. */
const AREAS_AT_ONCE = 16;

/**
 * A head is `FENCE SEQUENCE FETCHED_AT_MS`. A sequence is the version in which its snapshot came. The replication id of a server that takes
 * writes is new after each failover and start: then it may have an older copy, and its versions come again, so another run begins. What was
 * written before it is followed by a gap: something may have come between and be lost.
 */
const PUT = redisScript(`
local area, fence, previous = ARGV[1], tonumber(ARGV[2]), '0'
if (tonumber(redis.call('HGET', KEYS[6], 'fence') or 0) or 0) > fence then return false end
local head = redis.call('HGET', KEYS[2], area)
if head then
  local fence_before, sequence_before = string.match(head, '^(%d+) (%d+) ')
  if tonumber(fence_before) > fence then return false end
  previous = sequence_before
else
  previous = redis.call('ZSCORE', KEYS[3], area) or '0'
end
local meta = redis.call('HMGET', KEYS[1], 'run', 'origin', 'begun')
local run, begun, origin = meta[1], meta[3], string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if not run then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  previous, begun = '0', '0'
elseif meta[2] ~= origin then
  begun = string.format('%.0f', redis.call('HINCRBY', KEYS[1], 'version', 1))
end
if not run or meta[2] ~= origin then
  run = ARGV[5]
  redis.call('HSET', KEYS[1], 'run', run, 'origin', origin, 'begun', begun)
end
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
local sequence = string.format('%.0f', version)
local known = tonumber(previous) < tonumber(begun) and begun or previous
redis.call('SET', KEYS[4], sequence .. ' ' .. known .. '\\n' .. ARGV[4], 'PX', ARGV[8])
if ARGV[6] == run .. ' ' .. known then
  redis.call('RPUSH', KEYS[5], known .. ' ' .. sequence .. '\\n' .. ARGV[7])
  redis.call('LTRIM', KEYS[5], -ARGV[10], -1)
  redis.call('PEXPIRE', KEYS[5], ARGV[8])
else
  redis.call('DEL', KEYS[5])
end
redis.call('HSET', KEYS[2], area, ARGV[2] .. ' ' .. sequence .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[3], version, area)
for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ARGV[9]) end
redis.call('PUBLISH', ARGV[11], run .. ' ' .. sequence)
return {run, sequence, known}`);

/** Links that end before the reader's version are not read again. */
const READ_CHANGES = redisScript(`
local meta = redis.call('HMGET', KEYS[1], 'run', 'version', 'floor')
local run, version, since = meta[1] or '', tonumber(meta[2] or 0), tonumber(ARGV[2])
local is_all = run ~= ARGV[1] or (ARGV[3] == '0' and since < tonumber(meta[3] or 0))
if is_all then since = 0 end
local found = redis.call('ZRANGE', KEYS[2], '(' .. string.format('%.0f', since), '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[4], 'WITHSCORES')
local is_more = #found == 2 * ARGV[4]
if is_more then version = tonumber(found[#found]) end
local areas = {}
for index = 1, #found, 2 do
  local area = found[index]
  local full = redis.call('HEXISTS', KEYS[3], area) == 1 and redis.call('GET', ARGV[5] .. area)
  local links = {}
  if full then
    for _, link in ipairs(redis.call('LRANGE', ARGV[6] .. area, 0, -1)) do
      if tonumber(string.match(link, '^%d+ (%d+)\\n') or 0) > since then links[#links + 1] = link end
    end
  end
  areas[#areas + 1] = {area, full, links}
end
return {run, version, is_all and 1 or 0, is_more and 1 or 0, areas}`);

/** ARGV: the time, how many tombstones, the prefixes of keys by area, the channel, the areas to keep. */
const FORGET = redisScript(`
local before, kept, version = tonumber(ARGV[1]), {}, nil
for index = 6, #ARGV do kept[ARGV[index]] = true end
local heads = redis.call('HGETALL', KEYS[2])
for index = 1, #heads, 2 do
  local area, fetched_at = heads[index], string.match(heads[index + 1], '^%d+ %d+ (%-?%d+)$')
  if tonumber(fetched_at) < before and not kept[area] then
    version = redis.call('HINCRBY', KEYS[1], 'version', 1)
    redis.call('HDEL', KEYS[2], area)
    redis.call('DEL', ARGV[3] .. area, ARGV[4] .. area)
    redis.call('ZADD', KEYS[3], version, area)
  end
end
if not version then return 0 end
if redis.call('ZCARD', KEYS[3]) > 2 * redis.call('HLEN', KEYS[2]) + tonumber(ARGV[2]) then
  for _, area in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    if redis.call('HEXISTS', KEYS[2], area) == 0 then redis.call('ZREM', KEYS[3], area) end
  end
  redis.call('HSET', KEYS[1], 'floor', version)
end
redis.call('PUBLISH', ARGV[5], (redis.call('HGET', KEYS[1], 'run') or '') .. ' ' .. string.format('%.0f', version))
return 1`);

/** The snapshots in the store: an index of all, which says what changed, and for each a full frame and the latest deltas. */
export class SnapshotIndex {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /**
   * @param newRun names what is begun, where that is needed
   * @returns `undefined` where a newer lease was given or has written
   * @throws RedisFailure; it may be written where `isUnknown`
   */
  async put(
    { area, fetchedAt, full, link }: NewSnapshot,
    lease: { readonly name: string; readonly fence: number },
    newRun: string,
  ): Promise<Written | undefined> {
    const keys = [META, HEADS, CHANGES, FULL + area, LINKS + area, leaseKey(lease.name)];
    const linked = link === undefined ? ['', ''] : [`${link.run} ${link.from}`, link.body];
    const bounds = [BODY_MS, INDEX_MS, LINKS_MAX].map(String);
    const at = String(Math.round(epochMs(fetchedAt)));
    const args = [area, String(lease.fence), at, full, newRun, ...linked, ...bounds, NEWS];
    const written = (await this.#connection.run(PUT, keys, args)) as [string, string, string] | null;
    return (written && { run: written[0], sequence: Number(written[1]), previous: Number(written[2]) }) || undefined;
  }

  /**
   * What changed since then, in order.
   * @param isFurther of what was read with the version before, which had more
   * @throws RedisFailure
   */
  async changes(run: string, since: number, isFurther: boolean): Promise<Changes> {
    const args = [run, String(since), isFurther ? '1' : '0', String(AREAS_AT_ONCE), FULL, LINKS];
    const answer = await this.#connection.run(READ_CHANGES, [META, CHANGES, HEADS], args, true);
    const [newRun, version, isAll, isMore, stored] = answer as [Buffer, number, number, number, StoredEntry[]];
    const areas = stored.map(
      ([area, full, links]) => [String(area), full === null ? undefined : { full, links }] as const,
    );
    return { run: String(newRun), version, isAll: isAll === 1, isMore: isMore === 1, areas: new Map(areas) };
  }

  /** @param onNews where something changed; what is published while there is no connection is missed */
  subscribe(onNews: (run: string, version: number) => void): void {
    this.#connection.subscribe(NEWS, (message) => {
      const [run = '', version] = message.split(' ');
      onNews(run, Number(version));
    });
  }

  /** @throws RedisFailure */
  async forgetBefore(fetchedBefore: UpstreamInstant, keep: Iterable<string>): Promise<void> {
    const before = String(Math.round(epochMs(fetchedBefore)));
    const args = [before, String(TOMBSTONES_MAX), FULL, LINKS, NEWS, ...keep];
    await this.#connection.run(FORGET, [META, HEADS, CHANGES], args);
  }
}

type StoredEntry = [area: Buffer, full: Buffer | null, links: Buffer[]];

import 'server-only';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import { bboxCovers } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { type HistoryPart, type Part, partKey } from '../../parts/history-part.ts';
import type { Lease } from '../../ports/lease.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { leaseKey } from '../redis-leases.ts';
import { setAside } from '../set-aside.ts';
import { storedPart } from './stored-part.ts';

/** About twenty million observations. */
const PARTS_MAX_BYTES = 128 * 1024 * 1024;
/** After it was stored; the windows that people look at again are looked at within a day. */
const KEPT_MS = DAY_MS;
/** What a part takes in the store beside its head and body. */
export const STORED_ENTRY_BYTES = 1000;
/** Of what the store may use at most: the rest is for what live needs, which is written all the time. */
const SHARE_OF_STORE = 0.8;

/**
 * KEYS: the body; when each part was stored; when each begins, by layer; the size of each and, under the empty name, of all; the lease.
 * ARGV: the part; its start; its size; its body; the fence; the most bytes; how long it is kept; the prefix of bodies; of starts.
 * What disagrees, because something of it was evicted or deleted, begins anew.
 */
const PUT = redisScript(`
local ages, sizes = KEYS[2], KEYS[4]
if (tonumber(redis.call('HGET', KEYS[5], 'fence') or 0) or 0) > tonumber(ARGV[5]) then return 0 end
local time = redis.call('TIME')
local now, need, kept = time[1] * 1000, tonumber(ARGV[3]), tonumber(ARGV[7])
local function drop(part)
  local size = tonumber(redis.call('HGET', sizes, part) or 0)
  redis.call('HDEL', sizes, part)
  redis.call('ZREM', ages, part)
  redis.call('ZREM', ARGV[9] .. string.match(part, '^%a+'), part)
  redis.call('DEL', ARGV[8] .. part)
  return redis.call('HINCRBY', sizes, '', -size)
end
if redis.call('ZCARD', ages) ~= math.max(redis.call('HLEN', sizes) - 1, 0) then
  for _, part in ipairs(redis.call('ZRANGE', ages, 0, -1)) do drop(part) end
  for _, part in ipairs(redis.call('HKEYS', sizes)) do if part ~= '' then drop(part) end end
  redis.call('DEL', ages, sizes)
end
for _, part in ipairs(redis.call('ZRANGE', ages, '-inf', now - kept, 'BYSCORE', 'LIMIT', 0, 100)) do drop(part) end
if redis.call('HEXISTS', sizes, ARGV[1]) == 1 then drop(ARGV[1]) end
local room = tonumber(ARGV[6])
local memory = redis.call('INFO', 'memory')
local used, most = tonumber(string.match(memory, 'used_memory:(%d+)')), tonumber(string.match(memory, 'maxmemory:(%d+)'))
local total = tonumber(redis.call('HGET', sizes, '') or 0)
if used and most and most > 0 then room = math.min(room, total + most * ${SHARE_OF_STORE} - used) end
while total + need > room do
  local oldest = redis.call('ZRANGE', ages, 0, 0)[1]
  if not oldest then return 0 end
  total = drop(oldest)
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', kept)
redis.call('ZADD', ages, now, ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('HSET', sizes, ARGV[1], ARGV[3])
redis.call('HINCRBY', sizes, '', need)
for index = 2, 4 do redis.call('PEXPIRE', KEYS[index], kept) end
return 1`);

/** The parts that are kept in the store: their bodies, and an index by time. The first that were stored give way to others. */
export class PartStore {
  readonly #connection: Pick<RedisConnection, 'send' | 'run'>;
  readonly #maxBytes: number;
  readonly #room: string;

  /** @param account names the upstream account: another one may be given other records */
  constructor(connection: Pick<RedisConnection, 'send' | 'run'>, account: string, maxBytes = PARTS_MAX_BYTES) {
    this.#connection = connection;
    this.#maxBytes = maxBytes;
    // Of another form of the body nothing can be read, so its keys are others.
    this.#room = redisKey(`parts-${FORMAT_VERSION.toString(16)}`, account);
  }

  /** False where a newer lease was given, or there is no room. @throws RedisFailure */
  async put(part: HistoryPart, lease: Lease): Promise<boolean> {
    const key = partKey(part.layer, part);
    const stored = storedPart(part);
    const size = String(stored.byteLength + STORED_ENTRY_BYTES);
    const keys = [this.#bodyKey(key), this.#key('ages'), this.#key('starts', part.layer), this.#key('sizes')];
    const start = String(epochMs(part.window.start));
    const numbers = [lease.fence, this.#maxBytes, KEPT_MS].map(String);
    const prefixes = [this.#bodyKey(''), this.#key('starts', '')];
    const args = [key, start, size, stored, ...numbers, ...prefixes];
    return (await this.#connection.run(PUT, [...keys, leaseKey(lease.name)], args)) === 1;
  }

  /** As it is stored; `null` where it is not. @throws RedisFailure */
  async body(key: string): Promise<Buffer | null> {
    return (await this.bodies([key]))[0] ?? null;
  }

  /** @throws RedisFailure */
  async bodies(keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    return (await this.#connection.send(['MGET', ...keys.map((key) => this.#bodyKey(key))], true)) as (Buffer | null)[];
  }

  /** The parts over all of one of the boxes and some of its window. @throws RedisFailure */
  async over(layer: Layer, boxes: readonly Part[]): Promise<readonly Indexed[]> {
    if (boxes.length === 0) return [];
    const startsMs = boxes.map(({ window }) => epochMs(window.start) - HISTORY_MAX_WINDOW_MS);
    const endsMs = boxes.map(({ window }) => epochMs(window.end));
    const range = [`(${Math.min(...startsMs)}`, `(${Math.max(...endsMs)}`, 'BYSCORE'];
    const keys = (await this.#connection.send(['ZRANGE', this.#key('starts', layer), ...range])) as string[];
    return keys.flatMap((key) => {
      const part = partOf(key);
      return part && boxes.some((box) => isOver(part, box)) ? [{ key, part }] : [];
    });
  }

  /** Moves what is no index out of the way. @returns the keys where it is from then on @throws RedisFailure */
  async setWrongAside(): Promise<readonly string[]> {
    const expected = [
      [this.#key('ages'), 'zset'],
      [this.#key('sizes'), 'hash'],
      ...LAYERS.map((layer) => [this.#key('starts', layer), 'zset'] as const),
    ] as const;
    const aside: string[] = [];
    for (const [key, type] of expected) {
      const found = await this.#connection.send(['TYPE', key]);
      if (found !== 'none' && found !== type) aside.push(await setAside(this.#connection, key));
    }
    return aside;
  }

  #key(...parts: readonly string[]): string {
    return [this.#room, ...parts].join(':');
  }

  #bodyKey(key: string): string {
    return this.#key('body', key);
  }
}

interface Indexed {
  readonly key: string;
  readonly part: Part;
}

function isOver({ bbox, window }: Part, box: Part): boolean {
  return window.start < box.window.end && window.end > box.window.start && bboxCovers(bbox, box.bbox);
}

/** What `partKey` made a key of. */
function partOf(key: string): Part | undefined {
  const [, box, start, end] = /^\w+ (\S+) (\d{1,15}) (\d{1,15})$/.exec(key) ?? [];
  const parsed = box === undefined ? undefined : parseBbox(box);
  if (!parsed?.ok) return undefined;
  return { bbox: parsed.bbox, window: { start: upstreamInstant(Number(start)), end: upstreamInstant(Number(end)) } };
}

import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DAY_MS } from '#lib/time/time-units.ts';
import {
  ROWS_AT_ONCE,
  type RowsExchange,
  type RowsMark,
  type SharedRow,
  type SharedRows,
} from '../ports/shared-rows.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';
import { isWrongType, setAside } from './sessions/set-aside.ts';

export interface RedisRowsOptions {
  readonly connection: Pick<RedisConnection, 'run' | 'state'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly name: string;
  /** Of more rows, those that were written first leave the store; copies keep them. */
  readonly keptMax: number;
  /** After the last write, by the store's clock. */
  readonly keptMs: number;
}

/** KEYS: meta, versions by id, rows by id. ARGV: run, version, a new run, the most rows, time to live, whether it depends on the mark, and rows. */
const EXCHANGE = redisScript(`
local meta = redis.call('HMGET', KEYS[1], 'run', 'version')
local run, version, since = meta[1], tonumber(meta[2] or 0), tonumber(ARGV[2])
local given, is_anew, is_written = {}, 0, 0
local function touch()
  for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ARGV[5]) end
end
if not run then
  run = ARGV[3]
  redis.call('HSET', KEYS[1], 'run', run, 'version', 0)
  touch()
end
if run ~= ARGV[1] or since > version then
  is_anew, since = 1, 0
elseif ARGV[6] == '' or since == version then
  is_written = 1
  for index = 7, #ARGV, 3 do
    local id, text = ARGV[index], ARGV[index + 1] .. ' ' .. ARGV[index + 2]
    local revision = tonumber(ARGV[index + 1])
    local before = redis.call('HGET', KEYS[3], id)
    local stored = before and tonumber(string.match(before, '^(%d+) ')) or -1
    if revision > stored or (revision == stored and text > before) then
      version = redis.call('HINCRBY', KEYS[1], 'version', 1)
      redis.call('HSET', KEYS[3], id, text)
      redis.call('ZADD', KEYS[2], version, id)
      given[id] = true
    elseif text == before then
      given[id] = true
    end
  end
  while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) do redis.call('HDEL', KEYS[3], redis.call('ZPOPMIN', KEYS[2])[1]) end
  if #ARGV > 6 then touch() end
end
local rows, found = {}, redis.call('ZRANGE', KEYS[2], '(' .. since, '+inf', 'BYSCORE', 'LIMIT', 0, ${ROWS_AT_ONCE}, 'WITHSCORES')
for index = 1, #found, 2 do
  since = tonumber(found[index + 1])
  if not given[found[index]] then
    rows[#rows + 1] = found[index]
    rows[#rows + 1] = redis.call('HGET', KEYS[3], found[index]) or ''
  end
end
local is_more = #found == ${2 * ROWS_AT_ONCE} and 1 or 0
return {run, is_more == 1 and since or version, is_anew, is_written, is_more, rows}`);

/** KEYS: versions by id, rows by id, where it goes. ARGV: the id, for how long. */
const SET_ROW_ASIDE = redisScript(`
redis.call('SET', KEYS[3], redis.call('HGET', KEYS[2], ARGV[1]) or '', 'PX', ARGV[2])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])`);
/** For whoever wants to know why it could not be read. */
const SET_ASIDE_MS = 7 * DAY_MS;

/**
 * A table that several servers share: each has a copy of its own, gives the store what is new in it, and learns what others have given. After a flush,
 * or where the store goes on from an older copy, each gives again what it has; the newest revision of a row wins.
 */
export class RedisRows implements SharedRows {
  readonly #options: RedisRowsOptions;
  readonly #keys: readonly [meta: string, versions: string, rows: string];

  constructor(options: RedisRowsOptions) {
    this.#options = options;
    const [meta, versions, rows] = ['meta', 'versions', 'all'].map((part) => redisKey('rows', options.name, part));
    this.#keys = [meta, versions, rows] as [string, string, string];
  }

  async exchange(
    { run, server: before, version }: RowsMark,
    given: readonly SharedRow[],
    dependsOnMark = false,
  ): Promise<RowsExchange> {
    const { keptMax, keptMs, connection } = this.#options;
    const server = connection.state.kind === 'reachable' ? connection.state.server : '';
    // Another run of the server may be a copy that lacks the last moments, however far it has counted since.
    const from = server === before ? run : '';
    const args = [from, version, randomUUID(), keptMax, keptMs, dependsOnMark ? '1' : ''].map(String);
    const rows = given.flatMap(({ id, revision, text }) => [id, String(revision), text]);
    const answer = await this.#run([...args, ...rows]);
    const [newRun, newVersion, isAnew, isWritten, isMore, found] = answer as Answer;
    return {
      mark: { run: newRun, server, version: newVersion },
      rows: this.#rowsOf(found),
      isMore: isMore === 1,
      isAnew: isAnew === 1,
      isWritten: isWritten === 1,
    };
  }

  async setAside(id: string): Promise<void> {
    const [, versions, rows] = this.#keys;
    const aside = redisKey('unreadable', randomUUID());
    await this.#options.connection.run(SET_ROW_ASIDE, [versions, rows, aside], [id, String(SET_ASIDE_MS)]);
    this.#options.log.warn({ key: rows, row: id, set_aside_as: aside }, 'an unreadable row was set aside');
  }

  #rowsOf(found: readonly string[]): readonly SharedRow[] {
    const rows: SharedRow[] = [];
    for (let index = 0; index + 1 < found.length; index += 2) {
      const [id, stored] = found.slice(index, index + 2) as [string, string];
      const [, revision = '0', text = ''] = /^(\d{1,16}) (.*)$/s.exec(stored) ?? [];
      rows.push({ id, revision: Number(revision), text });
    }
    return rows;
  }

  async #run(args: readonly string[]): Promise<unknown> {
    const { connection, log } = this.#options;
    try {
      return await connection.run(EXCHANGE, this.#keys, args);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      for (const key of this.#keys)
        log.warn({ key, set_aside_as: await setAside(connection, key) }, 'an unreadable table was set aside');
      return connection.run(EXCHANGE, this.#keys, args);
    }
  }
}

type Answer = readonly [
  run: string,
  version: number,
  isAnew: 0 | 1,
  isWritten: 0 | 1,
  isMore: 0 | 1,
  rows: readonly string[],
];

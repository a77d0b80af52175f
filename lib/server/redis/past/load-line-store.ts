import 'server-only';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { RUNNING_MAX } from '../../ports/load-lines.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';

/** Loads of a server that is gone leave the line after this time. */
export const LOAD_LIFE_MS = 5 * SECOND_MS;
/** A line that was lost waits so long for the others that were in it: those that ran run on. */
const QUIET_MS = 3 * SECOND_MS;
/** By the store's clock, after the last sign of life of any load of the line. */
const KEPT_MS = MINUTE_MS;

/** What a server knows of a load of its own. */
export interface OwnLoad {
  readonly id: string;
  readonly name: string | undefined;
  /** Microseconds since 1970 on this server's clock: those that came first are first in line. */
  readonly enteredUs: number;
  readonly isRunning: boolean;
  /** Whether it was in line before. */
  readonly hasEntered: boolean;
}

export interface LoadInLine {
  readonly id: string;
  readonly isRunning: boolean;
}

/**
 * A load is a field: `r` where it runs or `w` where it waits, when it entered, when it ends without a sign of life, its name. ARGV: the time, the end, how many
 * may run, how long the line is kept, the channel, the line's name, until when a lost line waits, or 0, how many leave, their ids, and of each load that is there id, state, entry and name. Under the empty name
 * is until when nothing begins to run.
 */
const EXCHANGE = redisScript(`
local line, now, is_changed = KEYS[1], tonumber(ARGV[1]), false
local kind = redis.call('TYPE', line).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', line) end
if redis.call('EXISTS', line) == 0 and ARGV[7] ~= '0' then redis.call('HSET', line, '', ARGV[7]) end
local quiet = tonumber(redis.call('HGET', line, '') or 0) or 0
local leaving = tonumber(ARGV[8])
for index = 9, 8 + leaving do if redis.call('HDEL', line, ARGV[index]) == 1 then is_changed = true end end
for index = 9 + leaving, #ARGV, 4 do
  local before, state = redis.call('HGET', line, ARGV[index]), ARGV[index + 1]
  if before and string.sub(before, 1, 1) == 'r' then state = 'r' end
  redis.call('HSET', line, ARGV[index], state .. ' ' .. ARGV[index + 2] .. ' ' .. ARGV[2] .. ' ' .. ARGV[index + 3])
end
local running, waiting = {}, {}
local all = redis.call('HGETALL', line)
for index = 1, #all, 2 do
  local state, entered, ends = string.match(all[index + 1], '^([rw]) (%d+) (%d+) ')
  if state and tonumber(ends) > now then
    table.insert(state == 'r' and running or waiting, {all[index], tonumber(entered), all[index + 1]})
  elseif all[index] ~= '' then
    redis.call('HDEL', line, all[index])
    is_changed = true
  end
end
local function first(a, b) return a[2] < b[2] or (a[2] == b[2] and a[1] < b[1]) end
table.sort(waiting, first)
while quiet <= now and #running < tonumber(ARGV[3]) and #waiting > 0 do
  local load = table.remove(waiting, 1)
  redis.call('HSET', line, load[1], 'r' .. string.sub(load[3], 2))
  table.insert(running, load)
  is_changed = true
end
redis.call('PEXPIRE', line, ARGV[4])
if is_changed then redis.call('PUBLISH', ARGV[5], ARGV[6]) end
local answer = {}
for _, load in ipairs(running) do table.insert(answer, 'r' .. load[1]) end
for _, load in ipairs(waiting) do table.insert(answer, 'w' .. load[1]) end
return answer`);

const SEEK = redisScript(`
local all = redis.pcall('HVALS', KEYS[1])
if all.err then return 0 end
for index = 1, #all do
  local ends, name = string.match(all[index], '^[rw] %d+ (%d+) (.*)$')
  if name == ARGV[2] and tonumber(ends) > tonumber(ARGV[1]) then
    redis.call('PUBLISH', ARGV[3], ARGV[4])
    return 1
  end
end
return 0`);

/** The lines of all operators in the store. Each server writes its own loads, and whoever writes lets those run whose turn it is. */
export class LoadLineStore {
  /** The channel that names a line in which loads moved. */
  readonly moved = redisKey('loads', 'moved');
  /** The channel of what pages ask of loads at other servers. */
  readonly seeks = redisKey('loads', 'seeks');
  readonly #connection: Pick<RedisConnection, 'run'>;

  constructor(connection: Pick<RedisConnection, 'run'>) {
    this.#connection = connection;
  }

  /**
   * Gives signs of life of the loads that are here, and takes those out that left.
   * @returns all of the line, those that run first, and then in order
   * @throws RedisFailure
   */
  async exchange(
    line: string,
    here: readonly OwnLoad[],
    left: readonly string[],
    now: LocalInstant,
  ): Promise<readonly LoadInLine[]> {
    const numbers = [epochMs(now), epochMs(now) + LOAD_LIFE_MS, RUNNING_MAX, KEPT_MS].map((each) =>
      String(Math.round(each)),
    );
    const loads = here.flatMap(({ id, name = '', enteredUs, isRunning }) => [
      id,
      isRunning ? 'r' : 'w',
      String(enteredUs),
      name,
    ]);
    const quiet = here.some(({ hasEntered }) => hasEntered) ? epochMs(now) + QUIET_MS : 0;
    const args = [...numbers, this.moved, line, String(Math.round(quiet)), String(left.length), ...left, ...loads];
    const all = (await this.#connection.run(EXCHANGE, [keyOf(line)], args)) as readonly string[];
    return all.map((each) => ({ id: each.slice(1), isRunning: each.startsWith('r') }));
  }

  /** Announces it to all servers if one of them has the load. @returns whether one has @throws RedisFailure */
  async seek(line: string, name: string, message: string, now: LocalInstant): Promise<boolean> {
    const args = [String(epochMs(now)), name, this.seeks, message];
    return (await this.#connection.run(SEEK, [keyOf(line)], args)) === 1;
  }
}

function keyOf(line: string): string {
  return redisKey('loads', 'line', line);
}

import 'server-only';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import type { PasskeyCount, PasskeyCounts } from '../../ports/passkey-counts.ts';
import { orRefuse } from '../../shared-store-refusal.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { setAside } from './set-aside.ts';

export interface RedisPasskeyCountsOptions {
  readonly connection: Pick<RedisConnection, 'run'>;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
}

/** By the store's clock, since its last use. */
const UNUSED_MS = 400 * DAY_MS;
/** The file of operators has fewer. */
const KNOWN_MAX = 10_000;

/** What is known of a passkey: which beginning, a time in milliseconds, later ones win; and its last count. `BEGUN COUNT` in the store. */
type Known = readonly [begun: number, count: number];

const BEGIN = redisScript(`redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ${UNUSED_MS})`);

/** ARGV: the count; what the server that asks knows, or -1 twice; the name of a new beginning. */
const ADVANCE = redisScript(`
local stored = redis.pcall('GET', KEYS[1])
local begun, last = tonumber(ARGV[2]), tonumber(ARGV[3])
if stored then
  local stored_begun, stored_last = string.match(type(stored) == 'string' and stored or '', '^(%d+) (%d+)$')
  if not stored_begun then return {'unreadable', 0, 0} end
  stored_begun, stored_last = tonumber(stored_begun), tonumber(stored_last)
  if stored_begun == begun then last = math.max(last, stored_last) end
  if stored_begun > begun then begun, last = stored_begun, stored_last end
end
local count, result = tonumber(ARGV[1]), 'went-on'
if last < 0 then
  begun, result = tonumber(ARGV[4]), 'begun-anew'
elseif last >= count and (last > 0 or count > 0) then
  count, result = last, 'went-back'
end
redis.call('SET', KEYS[1], string.format('%.0f %.0f', begun, count), 'PX', ${UNUSED_MS})
return {result, begun, count}`);

/**
 * The counts of passkeys that several servers share. Each server remembers those that it has seen, so that a store that lost them, or goes on from an
 * older copy, is reported again.
 */
export class RedisPasskeyCounts implements PasskeyCounts {
  readonly #options: RedisPasskeyCountsOptions;
  readonly #known = new LRUCache<string, Known>({ max: KNOWN_MAX });

  constructor(options: RedisPasskeyCountsOptions) {
    this.#options = options;
  }

  async begin(id: string, count: number): Promise<void> {
    const key = keyOf(id);
    const begun = this.#newBegun(key);
    await orRefuse(this.#options.connection.run(BEGIN, [key], [begun, count].map(String)));
    this.#known.set(key, [begun, count]);
  }

  async advance(id: string, count: number): Promise<PasskeyCount> {
    const key = keyOf(id);
    const [begunBefore, last] = this.#known.get(key) ?? [-1, -1];
    const args = [count, begunBefore, last, this.#newBegun(key)].map(String);
    const [result, ...known] = await orRefuse(this.#advanced(key, args));
    this.#known.set(key, known);
    return result;
  }

  async #advanced(key: string, args: readonly string[]): Promise<[PasskeyCount, ...Known]> {
    const { connection, log } = this.#options;
    const answer = (await connection.run(ADVANCE, [key], args)) as [PasskeyCount | 'unreadable', ...Known];
    const [result, ...known] = answer;
    if (result !== 'unreadable') return [result, ...known];
    log.warn({ key, set_aside_as: await setAside(connection, key) }, 'an unreadable count of a passkey was set aside');
    return (await connection.run(ADVANCE, [key], args)) as [PasskeyCount, ...Known];
  }

  #newBegun(key: string): number {
    return Math.max(Math.round(epochMs(this.#options.now())), (this.#known.get(key)?.[0] ?? 0) + 1);
  }
}

/** Digested: an id may be long. */
function keyOf(id: string): string {
  return redisKey('passkey-count', digest(id));
}

import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { dayOf, EmbeddedSpent } from '../counts/embedded-spent.ts';
import type { Spending } from '../ports/ledger.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { Spent, SpentToday } from '../ports/spent-today.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { type RedisScript, redisScript } from './connection/redis-script.ts';
import { isWrongType, setAside } from './set-aside.ts';

/** What was counted meanwhile is written together. */
const WRITE_EVERY_MS = SECOND_MS;
/** By the store's clock: after the day has ended everywhere. */
const KEPT_MS = 2 * DAY_MS;
/** Runs of servers with counts of their own; of more, those that began first are forgotten. */
const RUNS_MAX = 1000;

/** KEYS: the counts of this run, the runs of the day. ARGV: the run, and operators with their counts. The answer: how many operators it has. */
const WRITE = redisScript(`
for index = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1]) end
if not redis.call('LPOS', KEYS[2], ARGV[1]) then redis.call('RPUSH', KEYS[2], ARGV[1]) end
if redis.call('LLEN', KEYS[2]) > ${RUNS_MAX} then redis.call('DEL', KEYS[2] .. ':' .. redis.call('LPOP', KEYS[2])) end
redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
redis.call('PEXPIRE', KEYS[2], ${KEPT_MS})
return redis.call('HLEN', KEYS[1])`);

/** The answer: operators, each with its counts, of all runs one after the other. */
const READ = redisScript(`
local found = {}
for _, run in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  for _, text in ipairs(redis.pcall('HGETALL', KEYS[1] .. ':' .. run)) do found[#found + 1] = text end
end
return found`);

export interface RedisSpentOptions {
  readonly connection: Pick<RedisConnection, 'run' | 'state'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Counted by several servers. Each run of one writes what it has counted itself, whole, so that nothing is counted twice where an answer was lost, and
 * a store that has lost it gets it again.
 */
export class RedisSpent implements SpentToday {
  readonly isWhole = true;
  readonly #options: RedisSpentOptions;
  readonly #name = randomUUID();
  readonly #own = new EmbeddedSpent();
  readonly #changed = new Set<string>();
  #day = '';
  #server = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RedisSpentOptions) {
    this.#options = options;
  }

  add(operator: string, spending: Spending, at: UpstreamInstant): void {
    if (spending === 'scheduled') return;
    this.#own.add(operator, spending, at);
    if (dayOf(at) !== this.#day) this.#changed.clear();
    this.#day = dayOf(at);
    this.#changed.add(operator);
    this.#writeSoon();
  }

  async read(at: UpstreamInstant): Promise<(operator: string) => Spent> {
    // What the store has lost is written before it is read.
    if (this.#day === dayOf(at)) await this.#write();
    if (this.#changed.size > 0) await this.#write();
    const found = (await this.#run(READ, [runsOf(dayOf(at))], [])) as string[];
    const sums = new Map<string, Spent>();
    for (let index = 0; index + 1 < found.length; index += 2) {
      const [operator, counts] = found.slice(index, index + 2) as [string, string];
      const [, past, firstViews] = /^(\d{1,15}) (\d{1,15})$/.exec(counts) ?? [];
      const sum = sums.get(operator) ?? { past: 0, firstViews: 0 };
      sums.set(operator, {
        past: sum.past + Number(past ?? 0),
        firstViews: sum.firstViews + Number(firstViews ?? 0),
      });
    }
    return (operator) => sums.get(operator) ?? { past: 0, firstViews: 0 };
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#changed.size > 0) await this.#write().catch(() => undefined);
    clearTimeout(this.#timer);
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write().catch((error: unknown) => {
        if (error instanceof SharedStoreFailure) this.#writeSoon();
        else this.#options.log.error({ err: error }, 'what operators have spent cannot be written');
      });
    }, WRITE_EVERY_MS).unref();
  }

  /** @throws SharedStoreFailure; then all of it is written again */
  async #write(): Promise<void> {
    const { state } = this.#options.connection;
    const server = state.kind === 'reachable' ? state.server : '';
    // Another run of the server may be a copy that lacks the last moments.
    if (server !== this.#server) this.#changeAll();
    const changed = [...this.#changed];
    this.#changed.clear();
    const day = this.#day;
    try {
      const counts = changed.flatMap((operator) => {
        const { past, firstViews } = this.#own.of(operator);
        return [operator, `${past} ${firstViews}`];
      });
      const runs = runsOf(day);
      const has = (await this.#run(WRITE, [`${runs}:${this.#name}`, runs], [this.#name, ...counts])) as number;
      this.#server = server;
      if (day !== this.#day || has >= this.#own.operators().length - this.#changed.size) return;
      this.#changeAll();
      this.#writeSoon();
    } catch (error) {
      if (day === this.#day) for (const operator of changed) this.#changed.add(operator);
      throw error;
    }
  }

  async #run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const { connection, log } = this.#options;
    try {
      return await connection.run(script, keys, args);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      for (const key of keys)
        log.warn({ key, set_aside_as: await setAside(connection, key) }, 'what operators have spent cannot be read');
      return connection.run(script, keys, args);
    }
  }

  #changeAll(): void {
    for (const operator of this.#own.operators()) this.#changed.add(operator);
  }
}

/** The runs that have counted on that day; the counts of each are behind its name. */
function runsOf(day: string): string {
  return redisKey('spent', day);
}

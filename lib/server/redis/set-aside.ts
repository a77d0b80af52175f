import 'server-only';
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';

/** For whoever wants to know why it could not be read. */
const KEPT_MS = 7 * DAY_MS;

const SET_ASIDE = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[1])`);

/** Moves what cannot be read out of the way, for a week. @returns its key from then on. @throws RedisFailure */
export async function setAside(connection: Pick<RedisConnection, 'run'>, key: string): Promise<string> {
  const aside = redisKey('unreadable', randomUUID());
  await connection.run(SET_ASIDE, [key, aside], [String(KEPT_MS)]);
  return aside;
}

/** Whether a command met a key that holds something else than ours. */
export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.includes('WRONGTYPE');
}

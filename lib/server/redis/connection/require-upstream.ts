import 'server-only';
import { DAY_MS } from '#lib/time/time-units.ts';
import { RedisFailure } from './redis-failure.ts';
import { redisKey } from './redis-keys.ts';
import type { RedisLink } from './redis-link.ts';

const KEY = redisKey('upstream');
/** After the last server of it has connected. */
const KEPT_MS = 90 * DAY_MS;

/**
 * Makes the database that of this upstream, where it is nobody's: positions of one must not be shown as another's.
 * @throws RedisFailure that says what to do, if it is another one's
 */
export async function requireUpstream(link: RedisLink, upstream: string, timeoutMs: number): Promise<void> {
  const owner = await link.send(['GET', KEY], timeoutMs);
  if (owner !== null && owner !== upstream)
    throw new RedisFailure(
      'refused',
      `its database is used by a Lookout of another upstream: name another database in REDIS_URL, or delete the key ${KEY} if that one is gone`,
      false,
    );
  try {
    await link.send(['SET', KEY, upstream, 'PX', String(KEPT_MS)], timeoutMs);
  } catch (error) {
    // A store that takes no writes says so to whoever writes next, and can still be read.
    const isReadable = error instanceof RedisFailure && (error.problem === 'full' || error.problem === 'read-only');
    if (!isReadable) throw error;
  }
}

import 'server-only';
import { DAY_MS } from '#lib/time/time-units.ts';
import { RedisFailure } from './redis-failure.ts';
import { redisKey } from './redis-keys.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisAddress } from './redis-target.ts';

const MIN_VERSION = 7;
const UPSTREAM_KEY = redisKey('upstream');
/** After the last server of it has connected. */
const UPSTREAM_KEPT_MS = 90 * DAY_MS;
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return owner end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

export interface ServerInfo {
  /** Another one after each start. */
  readonly run: string;
  readonly isPrimary: boolean;
  readonly isInCluster: boolean;
}

/** @throws RedisFailure that says what to do, if it is no server that we can use */
export async function readServerInfo(link: RedisLink, timeoutMs: number): Promise<ServerInfo> {
  const text = String(await link.send(['INFO'], timeoutMs));
  const info = new Map(text.split(/\r?\n/).map((line) => line.split(/:(.*)/) as [string, string]));
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < MIN_VERSION)
    throw new RedisFailure('refused', `the server is version ${version}: ${MIN_VERSION} or newer is needed`, false);
  if (info.get('loading') === '1') throw new RedisFailure('loading', 'the server reads its data', false);
  const run = info.get('run_id');
  if (!run) throw new RedisFailure('refused', 'the server does not report run_id in INFO', false);
  return { run, isPrimary: info.get('role') === 'master', isInCluster: info.get('cluster_enabled') === '1' };
}

/** Of a cluster: who has the slot of all our keys, and all nodes that there are. */
export interface ClusterNodes {
  readonly owner: RedisAddress;
  readonly all: readonly RedisAddress[];
}

/** @param asked the node at the other end, which may not know its own name @throws RedisFailure */
export async function readClusterNodes(link: RedisLink, asked: RedisAddress, timeoutMs: number): Promise<ClusterNodes> {
  const slot = Number(await link.send(['CLUSTER', 'KEYSLOT', redisKey()], timeoutMs));
  const ranges = (await link.send(['CLUSTER', 'SLOTS'], timeoutMs)) as [number, number, ...[string | null, number][]][];
  const addressOf = ([host, port]: [string | null, number]): RedisAddress => ({ host: host || asked.host, port });
  const all = ranges.flatMap(([, , ...nodes]) => nodes.map(addressOf));
  const [, , primary] = ranges.find(([first, last]) => first <= slot && slot <= last) ?? [];
  if (primary === undefined) throw new RedisFailure('lost', `no node of the cluster has slot ${slot}`, false);
  return { owner: addressOf(primary), all };
}

/**
 * Makes the database that of this upstream, where it is nobody's: positions of one must not be shown as another's.
 * @throws RedisFailure that says what to do, if it is another one's
 */
export async function requireUpstream(link: RedisLink, upstream: string, timeoutMs: number): Promise<void> {
  const owner = await claimed(link, upstream, timeoutMs);
  if (owner === null || owner === upstream) return;
  throw new RedisFailure(
    'refused',
    `its database is used by a Lookout of another upstream: name another database in REDIS_URL, or delete the key ${UPSTREAM_KEY} if that one is gone`,
    false,
  );
}

/** @returns whose it is then; `null` where it is nobody's and takes no writes */
async function claimed(link: RedisLink, upstream: string, timeoutMs: number): Promise<unknown> {
  try {
    return await link.send(['EVAL', CLAIM, '1', UPSTREAM_KEY, upstream, String(UPSTREAM_KEPT_MS)], timeoutMs);
  } catch (error) {
    // A store that takes no writes says so to whoever writes next, and can still be read.
    const isReadable = error instanceof RedisFailure && (error.problem === 'full' || error.problem === 'read-only');
    if (!isReadable) throw error;
    return await link.send(['GET', UPSTREAM_KEY], timeoutMs);
  }
}

import { localInstant } from '#lib/time/instant.ts';
import { RedisConnection, type RedisConnectionOptions } from './connection/redis-connection.ts';
import { RedisLink } from './connection/redis-link.ts';
import type { RedisTarget } from './connection/redis-target.ts';
import { type RedisProcess, startRedisProcess } from './redis-process.fixture.ts';

export { hasRedis } from './redis-process.fixture.ts';

const HOST = '127.0.0.1';
const ADMIN_MS = 10_000;
const COPY = `
redis.call('SELECT', 15)
redis.call('FLUSHDB')
redis.call('SELECT', 0)
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', 15) end`;
const COME_BACK = `
redis.call('FLUSHDB')
redis.call('SWAPDB', 0, 15)`;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface RedisServer extends RedisProcess {
  readonly target: RedisTarget;
  /** Sends a command as an administrator would. */
  admin(...args: readonly string[]): Promise<unknown>;
  /** Keeps all of the first database as it is now. */
  keepCopy(): Promise<void>;
  /** Then it is what clients meet after a failover to a replica that lagged: another server, with the copy. */
  failOverToCopy(): Promise<void>;
}

/**
 * Starts a Redis of its own on a free port of loopback. It keeps nothing on disk, unless options say so.
 * @param options of its configuration file, such as `appendonly yes`
 */
export async function startRedis(
  options: readonly string[] = [],
  mode: 'server' | 'sentinel' = 'server',
): Promise<RedisServer> {
  const running = await startRedisProcess(options, mode);
  const { port } = running;
  let link: RedisLink | undefined;
  const admin = async (...args: readonly string[]) => {
    if (link === undefined) {
      const opened = await RedisLink.open({ host: HOST, port }, { tls: false }, ADMIN_MS);
      link = opened;
      void opened.ended.then(() => {
        if (link === opened) link = undefined;
      });
    }
    return link.send(args, ADMIN_MS);
  };
  return {
    ...running,
    target: { at: { host: HOST, port }, user: undefined, password: undefined, database: 0, tls: false },
    admin,
    async keepCopy() {
      await admin('EVAL', COPY, '0');
    },
    async failOverToCopy() {
      await admin('REPLICAOF', HOST, '1');
      await admin('REPLICAOF', 'NO', 'ONE');
      await admin('EVAL', COME_BACK, '0');
    },
    async remove() {
      link?.destroy();
      await running.remove();
    },
  };
}

/** Begins to connect. */
export function newConnection(target: RedisTarget, options: Partial<RedisConnectionOptions> = {}): RedisConnection {
  return new RedisConnection(target, {
    now: () => localInstant(Date.now()),
    random: Math.random,
    log: QUIET,
    ...options,
  });
}

/** Connected. */
export async function connectTo(
  target: RedisTarget,
  options: Partial<RedisConnectionOptions> = {},
): Promise<RedisConnection> {
  const connection = newConnection(target, options);
  await becomes(connection, 'reachable');
  return connection;
}

export async function becomes(connection: RedisConnection, kind: 'reachable' | 'lost'): Promise<void> {
  if (connection.state.kind === kind) return;
  await new Promise<void>((resolve) => {
    const end = connection.onChange((state) => {
      if (state.kind !== kind) return;
      end();
      resolve();
    });
  });
}

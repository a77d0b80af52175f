import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { localInstant } from '#lib/time/instant.ts';
import { RedisConnection, type RedisConnectionOptions } from './connection/redis-connection.ts';
import { RedisLink } from './connection/redis-link.ts';
import type { RedisTarget } from './connection/redis-target.ts';

const PROGRAM = '/usr/bin/redis-server';
const HOST = '127.0.0.1';
const START_MS = 10_000;
const COPY = `
redis.call('SELECT', 15)
redis.call('FLUSHDB')
redis.call('SELECT', 0)
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', 15) end`;
const COME_BACK = `
redis.call('FLUSHDB')
redis.call('SWAPDB', 0, 15)`;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Whether Debian's redis-server is there; says so where it is not, so that nobody takes skipped tests for passed ones. */
export function hasRedis(): boolean {
  if (existsSync(PROGRAM)) return true;
  process.stderr.write('redis-server is missing: its tests are skipped. apt-get install redis-server redis-sentinel\n');
  return false;
}

export interface RedisServer {
  readonly port: number;
  readonly target: RedisTarget;
  /** Sends a command as an administrator would. */
  admin(...args: readonly string[]): Promise<unknown>;
  /** It stands still: connections stay, and nothing is answered. */
  pause(): void;
  resume(): void;
  /** With SIGKILL. What it kept on disk is there at the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Keeps all of the first database as it is now. */
  keepCopy(): Promise<void>;
  /** Then it is what clients meet after a failover to a replica that lagged: another server, with the copy. */
  failOverToCopy(): Promise<void>;
  /** Ends it, and deletes everything. */
  remove(): Promise<void>;
}

/**
 * Starts a Redis of its own on a free port of loopback. It keeps nothing on disk, unless options say so.
 * @param options of its configuration file, such as `appendonly yes`
 */
export async function startRedis(
  options: readonly string[] = [],
  mode: 'server' | 'sentinel' = 'server',
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-redis-'));
  const port = await freePort();
  const file = join(folder, 'redis.conf');
  const common = [`port ${port}`, `bind ${HOST}`, `dir ${folder}`, `logfile ${join(folder, 'log')}`];
  const silent = mode === 'server' ? ['save ""', 'repl-diskless-sync-delay 0'] : [];
  // Also the newest of the options before it holds.
  writeFileSync(file, [...common, ...silent, ...options].join('\n'), { mode: 0o600 });
  let child: ChildProcess | undefined;
  // Whatever ends the tests.
  const end = () => void child?.kill('SIGKILL');
  process.once('exit', end);
  let link: RedisLink | undefined;
  const start = async () => {
    child = spawn(PROGRAM, [file, ...(mode === 'sentinel' ? ['--sentinel'] : [])], { stdio: 'ignore' });
    await answering(port);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  const admin = async (...args: readonly string[]) => {
    if (link === undefined) {
      const opened = await RedisLink.open({ host: HOST, port }, { tls: false }, START_MS);
      link = opened;
      void opened.ended.then(() => {
        if (link === opened) link = undefined;
      });
    }
    return link.send(args, START_MS);
  };
  return {
    port,
    target: { at: { host: HOST, port }, user: undefined, password: undefined, database: 0, tls: false },
    admin,
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    kill,
    start,
    async keepCopy() {
      await admin('EVAL', COPY, '0');
    },
    async failOverToCopy() {
      await admin('REPLICAOF', HOST, '1');
      await admin('REPLICAOF', 'NO', 'ONE');
      await admin('EVAL', COME_BACK, '0');
    },
    async remove() {
      process.off('exit', end);
      link?.destroy();
      await kill();
      rmSync(folder, { recursive: true });
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(port: number): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      const link = await RedisLink.open({ host: HOST, port }, { tls: false }, START_MS);
      link.destroy();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(5);
    }
  }
}

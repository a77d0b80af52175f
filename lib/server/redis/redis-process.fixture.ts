import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../http/free-port.fixture.ts';

/** REDIS_SERVER may name another one, such as Valkey's. */
const PROGRAM = process.env.REDIS_SERVER?.trim() || '/usr/bin/redis-server';
const HOST = '127.0.0.1';
const START_MS = 10_000;

const MISSING = `${PROGRAM} is missing: apt-get install redis-server redis-sentinel`;

/** Whether redis-server is there; says so where it is not, so that nobody takes skipped tests for passed ones. */
export function hasRedis(): boolean {
  if (existsSync(PROGRAM)) return true;
  process.stderr.write(`${MISSING}. Its tests are skipped.\n`);
  return false;
}

export interface RedisProcess {
  readonly port: number;
  /** Runs redis-cli with these arguments. @returns what it prints */
  command(...args: readonly string[]): string;
  /** It stands still: connections stay, and nothing is answered. */
  pause(): void;
  resume(): void;
  /** With SIGKILL. What it kept on disk is there at the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends it, and deletes everything. */
  remove(): Promise<void>;
}

/**
 * Starts a Redis of its own on a free port of loopback. It keeps nothing on disk, unless options say so.
 * @param options of its configuration file, such as `appendonly yes`
 */
export async function startRedisProcess(
  options: readonly string[] = [],
  mode: 'server' | 'sentinel' = 'server',
): Promise<RedisProcess> {
  if (!existsSync(PROGRAM)) throw new Error(MISSING);
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
  return {
    port,
    command: (...args) =>
      spawnSync('redis-cli', ['-h', HOST, '-p', String(port), ...args], { encoding: 'utf8' }).stdout.trim(),
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    kill,
    start,
    async remove() {
      process.off('exit', end);
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function answering(port: number): Promise<void> {
  const untilMs = Date.now() + START_MS;
  while (!(await isAnswering(port))) {
    if (Date.now() > untilMs) throw new Error(`redis-server does not answer on port ${port}`);
    await delay(5);
  }
}

/** Also a server that wants a password first answers. */
async function isAnswering(port: number): Promise<boolean> {
  const socket = connect(port, HOST, () => socket.write('PING\r\n'));
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

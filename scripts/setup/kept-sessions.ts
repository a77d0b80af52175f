import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sessions } from '#lib/server/ports/sessions.ts';
import { RedisConnection } from '#lib/server/redis/connection/redis-connection.ts';
import { type RedisTarget, readRedisTarget, targetText } from '#lib/server/redis/connection/redis-target.ts';
import { RedisSessions } from '#lib/server/redis/sessions/redis-sessions.ts';
import { SESSIONS_FILE, SessionRegistry } from '#lib/server/session/session-registry.ts';
import { localInstant } from '#lib/time/instant.ts';

const CONNECTED_WITHIN_MS = 5000;
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const now = () => localInstant(Date.now());

/**
 * Uses the sessions that a Lookout with these settings has: those of the store that several servers share, or those in DATA_DIR.
 * @returns `undefined` where DATA_DIR has none
 * @throws Error that says what to do, where the store cannot be used
 */
export async function withKeptSessions<Result>(
  dataDir: string,
  environment: NodeJS.ProcessEnv,
  use: (sessions: Sessions) => Promise<Result>,
): Promise<Result | undefined> {
  const setting = (name: 'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_PASSWORD_FILE') =>
    environment[name]?.trim() || undefined;
  const read = readRedisTarget({
    REDIS_URL: setting('REDIS_URL'),
    REDIS_SENTINELS: setting('REDIS_SENTINELS'),
    REDIS_PASSWORD_FILE: setting('REDIS_PASSWORD_FILE'),
  });
  if ('problems' in read) throw new Error(read.problems.map((problem) => problem.join(' ')).join('\n'));
  if (read.target) return withShared(read.target, use);
  const file = join(dataDir, SESSIONS_FILE);
  return existsSync(file) ? use(new SessionRegistry(file, now)) : undefined;
}

/** Where sessions are looked for, as a sentence for whoever meant others. */
export function noSessionsText(dataDir: string): string {
  return `No sessions are kept in ${resolve(dataDir)}; DATA_DIR names another folder, or the servers share them and REDIS_URL is not set here.`;
}

async function withShared<Result>(target: RedisTarget, use: (sessions: Sessions) => Promise<Result>): Promise<Result> {
  const connection = new RedisConnection(target, { now, random: Math.random, log: SILENT });
  try {
    const reached = new Promise<void>((resolve) => {
      connection.onChange(({ kind }) => kind === 'reachable' && resolve());
    });
    await Promise.race([reached, delay(CONNECTED_WITHIN_MS, undefined, { ref: false })]);
    const { state } = connection;
    if (state.kind === 'lost')
      throw new Error(
        `Sessions go on: the servers’ shared store at ${targetText(target)} cannot be used (${state.reason}). Run this again with sign-out when it answers.`,
      );
    return await use(new RedisSessions({ connection, now, log: SILENT }));
  } finally {
    connection.close();
  }
}

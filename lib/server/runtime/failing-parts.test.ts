import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { startService } from '#service/server/start-service.ts';
import { steadyTraffic } from '#testing/live-harness.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import type { PostgresTarget } from '../database/postgres-target.ts';
import { DATABASE_FILE } from '../database/sqlite-file.ts';

const RUNS = fileURLToPath(new URL('./failing-parts.fixture.ts', import.meta.url));

/** A table for each part, without which it fails. */
const PARTS = {
  delivery: 'delivery_cursor',
  zones: 'zone_revision',
  watch: 'zone_stretch',
  overview: 'overview_hour',
  audit: 'audit_event',
} as const;
/** The same of several servers. */
const SHARED_PARTS = { ...PARTS, servers: 'live_plan' } as const;

async function run(target: DatabaseTarget, parts: Readonly<Record<string, string>>, settings: object) {
  const service = await startService({
    source: steadyTraffic(3),
    now: () => upstreamInstant(Date.now()),
    allowance: { perMinute: 600, perDay: 86_400 },
  });
  const folder = mkdtempSync(join(tmpdir(), 'lookout-failing-'));
  try {
    const args = [JSON.stringify(target), Object.values(parts).join(','), Object.keys(parts).join(',')];
    const child = spawn(process.execPath, ['--conditions=react-server', RUNS, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        DATA_DIR: folder,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        SERVER_NAME: 'one',
        POSITIONS_API_URL: service.baseUrl,
        POSITIONS_API_KEY: service.apiKey,
        ...settings,
      },
    });
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [last = ''] = out.trim().split('\n').slice(-1);
    expect(last, errors).toMatch(/^\[/);
    return { seen: JSON.parse(last), errors };
  } finally {
    rmSync(folder, { recursive: true });
    await service.close(0);
  }
}

const shown = (parts: object) => ({
  ready: false,
  firstS: expect.toSatisfy((seconds: object) => Object.values(seconds).every((each) => each <= 30)),
  failing: expect.arrayContaining(Object.keys(parts)),
  zone: 'watch_failed',
  problem: expect.stringMatching(/^Lookout cannot send, /),
});
const MENDED = { zone: 'watched', problem: null };

test('a server says within 30 s which parts fail, and is ready again once they work', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-failing-'));
  const target = { dialect: 'sqlite', file: join(folder, DATABASE_FILE) } as const;
  const { seen, errors } = await run(target, PARTS, { DATA_DIR: folder });
  expect(seen).toEqual([shown(PARTS), MENDED]);
  const logged = errors.split('\n').filter((line) => line.includes('"a part of the server fails"'));
  expect(logged.filter((line) => line.includes('"part":"watch"'))).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

describePostgres('a server of several', ({ newTarget }) => {
  test('says within 30 s which parts fail, and is ready again once they work', { timeout: 120_000 }, async () => {
    const target = newTarget() as PostgresTarget;
    const { host, user, database } = target;
    const DATABASE_URL = `postgres:///${database}?host=${host}&user=${user}`;
    const { seen } = await run(target, SHARED_PARTS, { DATABASE_URL });
    expect(seen).toEqual([shown(SHARED_PARTS), MENDED]);
  });
});

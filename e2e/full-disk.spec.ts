import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIRequestContext } from '@playwright/test';
import { type EndLine, historyLineSchema } from '#lib/api/history-line.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { expect, test } from './lookout-test.ts';
import { addOperator, type OperatorAccount } from './running/operators.ts';
import { startApp } from './running/running-app.ts';
import { startService } from './running/running-service.ts';

/** A disk for `DATA_DIR` that ends with this process. */
const ON_SMALL_DISK = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'kept=$(mktemp -d) && cp -a "$DATA_DIR/." "$kept" && mount -t tmpfs -o size=8m tmpfs "$DATA_DIR" && cp -a "$kept/." "$DATA_DIR" && rm -r "$kept" && exec "$@"',
  'sh',
];

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  const kilobyte = Buffer.alloc(1024, 'x');
  try {
    for (;;) writeSync(descriptor, kilobyte);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    closeSync(descriptor);
  }
}

async function lastLine(request: APIRequestContext, address: string): Promise<EndLine> {
  const answer = await request.get(address, { headers: { accept: 'application/x-ndjson' } });
  expect(answer.status()).toBe(200);
  const lines = (await answer.text()).trim().split('\n');
  return historyLineSchema.parse(JSON.parse(lines.at(-1) ?? '')) as EndLine;
}

test('A full disk: reads go on, nothing is requested, in words of its own and one line of the log; when there is room again, so is everything', async ({
  request,
  playwright,
}) => {
  const service = await startService();
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-full-'));
  const alice = await addOperator({ DATA_DIR: dataDir }, 'alice');
  const app = await startApp(
    {
      POSITIONS_API_URL: service.baseUrl,
      POSITIONS_API_KEY: service.apiKey,
      DATA_DIR: dataDir,
    },
    { within: ON_SMALL_DISK },
  );
  const signIn = (from: APIRequestContext, { name, password }: OperatorAccount) =>
    from.post(`${app.url}/api/session`, { headers: { 'sec-fetch-site': 'same-origin' }, data: { name, password } });
  const live = async () => {
    const answer = await request.get(`${app.url}/api/live?bbox=7,46,9,48&layers=adsb`);
    expect(answer.status()).toBe(200);
    return (await answer.json()).layers.adsb;
  };
  const ready = async () => {
    const answer = await request.get(`${app.url}/readyz`);
    return { status: answer.status(), ...(await answer.json()) };
  };
  const endMs = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
  const pastUrl = (fromMinute: number) => {
    const [start, end] = [fromMinute, fromMinute + 1].map((minute) =>
      new Date(endMs - minute * MINUTE_MS).toISOString(),
    );
    return `${app.url}/api/history?bbox=7,46,9,48&layers=adsb&start=${end}&end=${start}`;
  };
  const linesOfLog = (words: string) =>
    app
      .stderr()
      .split('\n')
      .filter((line) => line.includes(words));
  const filler = join(`/proc/${app.pid}/root`, dataDir, 'filler');
  try {
    expect((await signIn(request, alice)).ok()).toBe(true);
    await expect.poll(async () => (await live()).state).toBe('fresh');
    expect((await lastLine(request, pastUrl(3))).layers.adsb).toMatchObject({ complete: true });
    expect(await ready()).toMatchObject({ status: 200, ready: true, missing: [] });

    fill(filler);
    await expect.poll(live).toMatchObject({ state: 'stale', reason: 'storage_failed' });
    await test.step('Positions read before are shown, live and past; the rest is not requested', async () => {
      await service.forgetRequests();
      expect((await live()).records.length).toBeGreaterThan(0);
      expect((await lastLine(request, pastUrl(3))).layers.adsb).toMatchObject({ complete: true, requests: 0 });
      const missing = (await lastLine(request, pastUrl(10))).layers.adsb;
      expect(missing?.complete).toBe(false);
      expect(new Set(missing?.gaps.map(({ reason }) => reason))).toEqual(new Set(['storage_failed']));
      expect(await service.requests()).toEqual([]);
    });
    await test.step('It is alive, and not ready', async () => {
      expect((await request.get(`${app.url}/healthz`)).status()).toBe(200);
      await expect.poll(ready).toMatchObject({ status: 503, ready: false, missing: ['storage'] });
    });
    await test.step('A sign-in now is refused with the reason', async () => {
      const another = await playwright.request.newContext();
      const refused = await signIn(another, alice);
      expect(refused.status()).toBe(507);
      expect(await refused.json()).toMatchObject({
        error: { code: 'storage_failed', message: 'The disk of Lookout’s server is full; nothing was changed.' },
      });
      await another.dispose();
    });
    await expect.poll(async () => (await live()).reason).toBe('storage_failed');
    expect(linesOfLog('the database cannot be used')).toHaveLength(1);

    rmSync(filler);
    await expect.poll(live).toMatchObject({ state: 'fresh', reason: null });
    await expect.poll(ready).toMatchObject({ status: 200, ready: true, missing: [] });
    expect(linesOfLog('the database can be used again')).toHaveLength(1);
    expect(app.stderr()).not.toContain('Lookout has crashed');
  } finally {
    await app.stop();
    await service.stop();
  }
});

test.describe('A start', () => {
  test.skip(cannotMount !== undefined, cannotMount);

  test('on a full disk that was used before serves the map, says what is missing, and is whole again with room', async ({
    request,
  }) => {
    const service = await startService();
    const dataDir = mkdtempSync(join(tmpdir(), 'lookout-full-again-'));
    const disk = await mountSmallDisk(dataDir, 8_000_000);
    const settings = {
      ...{ POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey, POSITIONS_EMBEDDED: '1' },
      DATA_DIR: dataDir,
    };
    try {
      await (await startApp(settings, { within: disk.within })).stop();
      disk.fill();
      const app = await startApp(settings, { within: disk.within });
      try {
        const live = async () => {
          const answer = await request.get(`${app.url}/api/live?bbox=7,46,9,48&layers=adsb`);
          return { status: answer.status(), ...(await answer.json()).layers?.adsb };
        };
        expect((await request.get(app.url)).status()).toBe(200);
        await expect.poll(live).toMatchObject({ status: 200, state: 'fresh' });
        const ready = async () => (await request.get(`${app.url}/readyz`)).json();
        await expect.poll(ready).toMatchObject({ ready: false, missing: ['storage'] });
        expect((await request.get(`${app.url}/api/zones`)).status()).toBe(200);
        disk.free();
        await expect.poll(ready).toMatchObject({ ready: true, missing: [] });
      } finally {
        await app.stop();
      }
    } finally {
      await disk.remove();
      await service.stop();
    }
  });

  test('on a full or read-only disk names the folder and what to do', async () => {
    const service = await startService();
    const dataDir = mkdtempSync(join(tmpdir(), 'lookout-full-start-'));
    const disk = await mountSmallDisk(dataDir, 600_000);
    const upstream = { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey, DATA_DIR: dataDir };
    const start = (more: Readonly<Record<string, string>>) =>
      startApp({ ...upstream, ...more }, { within: disk.within });
    const refusal = (more: Readonly<Record<string, string>>) =>
      start(more).then(
        async (started) => {
          await started.stop();
          return 'started';
        },
        (error: Error) => error.message,
      );
    try {
      await test.step('On a full disk it names the folder and what to do', async () => {
        disk.fill();
        expect(await refusal({ POSITIONS_EMBEDDED: '1' })).toContain(
          `The disk of DATA_DIR ${dataDir} is full: make room on it, and start again`,
        );
        disk.free();
        expect(await refusal({ POSITIONS_EMBEDDED: '1' })).toBe('started');
      });
      await test.step('On a read-only disk it says so', async () => {
        disk.makeReadOnly();
        const refused = await refusal({ POSITIONS_EMBEDDED: '1' });
        expect(refused).toContain(`DATA_DIR ${dataDir} is read-only: mount its disk writable`);
      });
    } finally {
      await disk.remove();
      await service.stop();
    }
  });
});

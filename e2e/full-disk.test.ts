import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndLine, historyLineSchema } from '#lib/api/history-line.ts';
import { cannotMount, mountSmallDisk, type SmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { ask, cookieOf } from '#testing/api-requests.ts';
import { eventually } from '#testing/eventually.ts';
import { iso, type PastWindow, pastWindow } from './driver/past-window.ts';
import { addOperators, type OperatorAccount } from './running/operators.ts';
import { type RunningApp, startApp } from './running/running-app.ts';
import { type RunningService, startService } from './running/running-service.ts';

describe.skipIf(cannotMount !== undefined)(`Lookout on a small disk ${cannotMount ?? ''}`, () => {
  let service: RunningService;
  let disk: SmallDisk;
  let dataDir: string;
  let alice: OperatorAccount;
  let cookie: string;
  let app: RunningApp | undefined;
  beforeAll(async () => {
    service = await startService();
    dataDir = mkdtempSync(join(tmpdir(), 'lookout-full-'));
    disk = await mountSmallDisk(dataDir, 8_000_000);
  });
  afterAll(async () => {
    await app?.stop();
    await disk.remove();
    await service.stop();
  });

  const start = (more: Readonly<Record<string, string>> = {}) =>
    startApp(
      { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey, DATA_DIR: dataDir, ...more },
      { within: disk.within },
    );
  const refusal = () =>
    start({ POSITIONS_EMBEDDED: '1' }).then(
      async (started) => {
        await started.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
  const get = (path: string) => ask(`${app?.url}${path}`, { headers: { cookie, accept: 'application/x-ndjson' } });
  const live = async () => {
    const answer = await get('/api/live?bbox=7,46,9,48&layers=adsb');
    expect(answer.status).toBe(200);
    return answer.json().layers.adsb;
  };
  const ready = async () => {
    const answer = await get('/readyz');
    return { status: answer.status, ...answer.json() };
  };
  const isWhole = () =>
    eventually(async () => expect(await ready()).toMatchObject({ status: 200, ready: true, missing: [] }));
  /** @returns the layer of the last line */
  const loaded = async ({ start, end }: PastWindow) => {
    const answer = await get(`/api/history?bbox=7,46,9,48&layers=adsb&start=${iso(start)}&end=${iso(end)}`);
    expect(answer.status).toBe(200);
    const lines = answer.text.trim().split('\n');
    return (historyLineSchema.parse(JSON.parse(lines.at(-1) ?? '')) as EndLine).layers.adsb;
  };
  const linesOfLog = (words: string) => (app?.stderr() ?? '').split('\n').filter((line) => line.includes(words));

  test('a start on a full disk that was never used names the folder and what to do', async () => {
    disk.fill();
    expect(await refusal()).toContain(`The disk of DATA_DIR ${dataDir} is full: make room on it, and start again`);
    disk.free();
  });

  describe('A disk that gets full', () => {
    let readBefore: PastWindow;
    beforeAll(async () => {
      // SQLite would resolve the path of the disk to the folder below it.
      const people = [{ name: 'alice', role: 'operator' }] as const;
      alice = (await addOperators({ DATA_DIR: dataDir }, people))[0] as OperatorAccount;
      cpSync(dataDir, disk.path, { recursive: true });
      app = await start();
      cookie = await cookieOf(app, alice);
      await isWhole();
      await eventually(async () => expect(await live()).toMatchObject({ state: 'fresh', reason: null }));
      readBefore = pastWindow(1, 3);
      expect(await loaded(readBefore)).toMatchObject({ complete: true });
      disk.fill();
      await eventually(async () => expect(await live()).toMatchObject({ state: 'stale', reason: 'storage_failed' }));
    });

    test('positions read before are shown, live and past; the rest is not requested', async () => {
      await service.forgetRequests();
      expect((await live()).records.length).toBeGreaterThan(0);
      expect(await loaded(readBefore)).toMatchObject({ complete: true, requests: 0 });
      const missing = await loaded(pastWindow(1, 10));
      expect(missing?.complete).toBe(false);
      expect(new Set(missing?.gaps.map(({ reason }) => reason))).toEqual(new Set(['storage_failed']));
      expect(await service.requests()).toEqual([]);
    });

    test('it is alive, and not ready', async () => {
      expect((await get('/healthz')).status).toBe(200);
      await eventually(async () =>
        expect(await ready()).toMatchObject({ status: 503, ready: false, missing: ['storage'] }),
      );
    });

    test('a sign-in is refused with the reason', async () => {
      const { name, password } = alice;
      const refused = await ask(`${app?.url}/api/session`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
        body: { name, password },
      });
      expect(refused.status).toBe(507);
      expect(refused.json()).toMatchObject({
        error: { code: 'storage_failed', message: 'The disk of Lookout’s server is full; nothing was changed.' },
      });
    });

    test('when there is room again, so is everything, after one line of the log for each', async () => {
      await eventually(async () => expect((await live()).reason).toBe('storage_failed'));
      expect(linesOfLog('the database cannot be used')).toHaveLength(1);
      disk.free();
      await eventually(async () => expect(await live()).toMatchObject({ state: 'fresh', reason: null }));
      await isWhole();
      expect(linesOfLog('the database can be used again')).toHaveLength(1);
      expect(app?.stderr()).not.toContain('Lookout has crashed');
    });
  });

  test('a start on a full disk that was used before serves the map, says what is missing, and is whole again with room', async () => {
    await app?.stop();
    disk.fill();
    app = await start({ POSITIONS_EMBEDDED: '1' });
    expect((await get('/')).status).toBe(200);
    await eventually(async () => expect(await live()).toMatchObject({ state: 'fresh' }));
    await eventually(async () => expect(await ready()).toMatchObject({ ready: false, missing: ['storage'] }));
    expect((await get('/api/zones')).status).toBe(200);
    disk.free();
    await isWhole();
  });

  test('a start on a read-only disk names the folder and what to do', async () => {
    await app?.stop();
    app = undefined;
    disk.makeReadOnly();
    expect(await refusal()).toContain(`DATA_DIR ${dataDir} is read-only: mount its disk writable`);
  });
});

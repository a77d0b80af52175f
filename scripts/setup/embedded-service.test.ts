import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { ReceivedHome } from '#lib/server/upstream/receivers-reader.ts';
import { startMovingAircraft } from '#service/receivers/moving-aircraft.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { embeddedProblems, embeddedSource, receiversSocket, startEmbeddedService } from './embedded-service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const problems = (environment: Readonly<Record<string, string>>) => embeddedProblems(environment as NodeJS.ProcessEnv);

test('wrong settings of the embedded service are reported all at once, under the names of their environment variables', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ EMBEDDED_SOURCE: 'recording:a.jsonl.gz' })).toEqual([]);
  expect(problems({ EMBEDDED_SOURCE: 'radar', EMBEDDED_TRACKS: 'many', EMBEDDED_SEED: '-1' })).toEqual([
    expect.stringMatching(/^EMBEDDED_SEED -1: /),
    expect.stringMatching(/^EMBEDDED_TRACKS many: /),
    expect.stringMatching(/^EMBEDDED_SOURCE radar: /),
  ]);
  expect(problems({ EMBEDDED_SOURCE: 'recording:a.jsonl.gz', EMBEDDED_TRACKS: '4,1' })).toEqual([
    'EMBEDDED_TRACKS applies to the simulator only: leave it out with EMBEDDED_SOURCE recording:…',
  ]);
});

test('with receivers the embedded service plays nothing, and keeps what it receives', () => {
  const source = (settings: Readonly<Record<string, string>>) => embeddedSource(settings as NodeJS.ProcessEnv);
  expect(source({ RECEIVERS: 'http://pi.local/tar1090, sbs://hill', DATA_DIR: '/srv/lookout' })).toEqual([
    '--receivers',
    'http://pi.local/tar1090, sbs://hill',
    '--data',
    '/srv/lookout/receivers',
    '--one-key',
  ]);
  expect(source({ RECEIVERS: 'feeds.json' }).slice(0, 2)).toEqual(['--feeds', 'feeds.json']);
  expect(source({ RECEIVERS: ' ' })[1]).toBe('simulator');
  expect(problems({ RECEIVERS: 'http://pi.local/tar1090' })).toEqual([]);
  expect(problems({ RECEIVERS: 'pi.local,radar://roof', EMBEDDED_TRACKS: '4,1' })).toEqual([
    'EMBEDDED_TRACKS has no effect with RECEIVERS: leave out one of them',
    expect.stringMatching(/^RECEIVERS pi\.local: /),
    expect.stringMatching(/^RECEIVERS radar:\/\/roof: write one of http/),
  ]);
});

test('the embedded service serves what a receiver receives, and tells where a map of it opens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-service-test-'));
  const receiver = await startMovingAircraft({ count: 5 });
  const settings = { RECEIVERS: receiver.url, DATA_DIR: folder } as unknown as NodeJS.ProcessEnv;
  const died = vi.fn();
  const service = await startEmbeddedService(join(ROOT, 'service/cli.ts'), ROOT, embeddedSource(settings), died);
  const elsewhere = { lat: -30, lon: 150, zoom: 7 };
  const home = new ReceivedHome(receiversSocket(settings), elsewhere);
  try {
    await eventually(async () => {
      const answer = await fetch(`${service.baseUrl}/live/adsb?bbox=7,46,19,50`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      const { data } = await answer.json();
      expect(data).toHaveLength(5);
      expect(data.every(({ simulated }: { readonly simulated: boolean }) => !simulated)).toBe(true);
    });
    await eventually(async () => expect(await home.view()).not.toEqual(elsewhere));
    const { lat, lon, zoom } = await home.view();
    expect(lat).toBeCloseTo(47.2, 0);
    expect(lon).toBeGreaterThan(7);
    expect(lon).toBeLessThan(19);
    expect(zoom).toBeGreaterThan(6);
  } finally {
    await service.stop();
    await receiver.close();
    await rm(folder, { recursive: true });
  }
  expect(died).not.toHaveBeenCalled();
});

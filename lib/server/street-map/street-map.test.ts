import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { protomapsArchive } from '#testing/region-archive.ts';
import { configuredMapProblems } from '../maps/map-setting.ts';
import { type ArchiveServer, serveArchive } from './archive-server.fixture.ts';
import { StreetMap, type StreetMapOptions } from './street-map.ts';

const AROUND = { lat: 47.46, lon: 8.55, radiusKm: 4 };
const NAME = 'Streets 47.46 8.55 4 km';
const staying = new AbortController().signal;

let server: ArchiveServer;
let folder: string;
const defects: unknown[] = [];
beforeAll(async () => {
  server = await serveArchive(Buffer.from(protomapsArchive()));
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-street-map-'));
  Object.assign(server, { behaviour: 'ranges' });
  server.ranges.length = 0;
  server.paths.length = 0;
  defects.length = 0;
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  expect(defects).toEqual([]);
});

const made = (options: Partial<StreetMapOptions> = {}) =>
  new StreetMap({
    source: server.url.href,
    folder: join(folder, 'maps'),
    now: () => localInstant(Date.UTC(2026, 2, 2, 12)),
    onDefect: (error) => defects.push(error),
    retryMs: 1,
    ...options,
  });
const ended = (streetMap: StreetMap) =>
  expect.poll(() => streetMap.state.state, { timeout: 5000 }).not.toMatch(/measuring|fetching/);

describe('StreetMap', () => {
  test('says the size first, and writes nothing for it', async () => {
    const streetMap = made();
    const size = await streetMap.measure(AROUND, staying);
    expect(size).toMatchObject({ map: NAME, source: server.url.href });
    expect(size.bytes).toBeGreaterThan(1000);
    expect(streetMap.state).toMatchObject({ state: 'idle', bytes_done: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('fetches a map that Lookout serves, of the size that it said', async () => {
    const streetMap = made();
    const size = await streetMap.begin(AROUND, staying);
    expect(streetMap.state.state).toBe('fetching');
    await ended(streetMap);
    expect(streetMap.state).toMatchObject({ state: 'done', bytes_done: size.bytes, problem: null });
    expect(configuredMapProblems([{ name: NAME, file: join(folder, 'maps', `${NAME}.pmtiles`) }])).toEqual([]);
  });

  test('sends no request before an admin asks, and none where the source is off', async () => {
    const off = made({ source: undefined });
    expect(off.state.source).toBeNull();
    await expect(off.measure(AROUND, staying)).rejects.toMatchObject({ code: 'not_possible' });
    made();
    expect(server.ranges).toEqual([]);
  });

  test('one at a time: another is refused until the first has ended', async () => {
    const streetMap = made();
    await streetMap.begin(AROUND, staying);
    await expect(streetMap.begin(AROUND, staying)).rejects.toMatchObject({ code: 'not_possible' });
    await expect(streetMap.measure(AROUND, staying)).rejects.toMatchObject({ code: 'not_possible' });
    await ended(streetMap);
    await streetMap.measure(AROUND, staying);
  });

  test('a cancelled one ends at once and leaves nothing', async () => {
    const streetMap = made();
    server.behaviour = 'hangs';
    await streetMap.begin(AROUND, staying);
    await expect.poll(() => server.ranges.length).toBeGreaterThan(3);
    expect(streetMap.cancel()).toBe(NAME);
    await ended(streetMap);
    expect(streetMap.state).toMatchObject({ state: 'cancelled', problem: null });
    expect(existsSync(join(folder, 'maps', `${NAME}.pmtiles`))).toBe(false);
    expect(readdirSync(join(folder, 'maps'))).toEqual([]);
    expect(streetMap.cancel()).toBeUndefined();
  });

  test('a caller that leaves ends the measuring, and the next one is not refused', async () => {
    const streetMap = made();
    const leaving = new AbortController();
    const measuring = streetMap.measure(AROUND, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(measuring).rejects.toThrow('left');
    await streetMap.measure(AROUND, staying);
  });

  test('a failure has its sentence, and leaves nothing', async () => {
    const streetMap = made();
    server.behaviour = 'cuts tiles';
    await streetMap.begin(AROUND, staying);
    await ended(streetMap);
    expect(streetMap.state.state).toBe('failed');
    expect(streetMap.state.problem).toMatch(/did not answer in 3 tries/);
    expect(readdirSync(join(folder, 'maps'))).toEqual([]);
    server.behaviour = 'missing';
    await expect(streetMap.measure(AROUND, staying)).rejects.toMatchObject({ code: 'map_unavailable' });
  });

  test('takes the newest day that has a file, and says so where none has', async () => {
    const dated = made({ source: new URL('/YYYYMMDD.pmtiles', server.url).href });
    server.only = '/20260228.pmtiles';
    const size = await dated.measure(AROUND, staying);
    expect(size.source).toMatch(/\/20260228\.pmtiles$/);
    expect([...new Set(server.paths)]).toEqual(['/20260302.pmtiles', '/20260301.pmtiles', '/20260228.pmtiles']);
    server.only = '/20250101.pmtiles';
    await expect(dated.measure(AROUND, staying)).rejects.toThrow(/has no map of the last 8 days/);
    server.only = undefined;
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { cannotMount, mountSmallDisk } from '../../data-dir/small-disk.fixture.ts';
import type { FeedWithHealth } from '../feeds/feed-set.ts';
import { makeTestSurroundings, START } from '../feeds/test-surroundings.fixture.ts';
import type { FeedState } from '../fusion/fused-feed.ts';
import { NO_AIRCRAFT } from './deafness.ts';
import { followStations } from './follow-stations.ts';
import { hoursReport } from './hours-report.ts';
import { StationRecord } from './station-record.ts';
import { DAYS_KEPT, type StationSample } from './station-tally.ts';
import { UsualReach } from './usual-reach.ts';

let folder: string;
let log: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'station-record-'));
  log = [];
});
afterEach(() => rm(folder, { recursive: true }));

const NOON_MS = Date.UTC(2026, 10, 23, 12);
const ROOF: StationSample = {
  id: 'roof',
  simulated: false,
  isConnected: true,
  quietMs: 0,
  fixes: 5,
  alone: 2,
  clockErrorMs: 40,
  clockSpreadMs: 7,
  aircraft: NO_AIRCRAFT,
};
const open = (at = folder) => StationRecord.open(at, (entry) => log.push(entry));
const positions = (record: StationRecord) =>
  hoursReport(record.days, record.problem, NOON_MS + 2 * SECOND_MS, 2).stations.map(({ positions }) => positions);

async function recorded(at = folder): Promise<StationRecord> {
  const record = await open(at);
  record.sample(NOON_MS, 0, [ROOF]);
  await record.flush();
  return record;
}

test('a restart continues the hour, whose clock is measured again', async () => {
  await recorded();
  const again = await open();
  expect(positions(again)).toEqual([[null, 5]]);
  again.sample(NOON_MS + SECOND_MS, 0, [{ ...ROOF, fixes: 3, clockErrorMs: 900, clockSpreadMs: 1 }]);
  expect(positions(again)).toEqual([[null, 8]]);
  expect(hoursReport(again.days, undefined, NOON_MS, 1).stations).toMatchObject([
    { clock_error_ms: [900], clock_spread_ms: [1], alone: [4] },
  ]);
  expect(log).toEqual([]);
});

test('a killed service has lost at most a minute, and left nothing half written', async () => {
  const record = await open();
  const { surroundings, move } = makeTestSurroundings();
  let fixes = 0;
  const fusionOf = () => {
    fixes += 1;
    return { counts: { observed: fixes }, alone: 0, clockSpreadMs: 0 } as FeedState;
  };
  const roof = {
    settings: { id: 'roof', aggregates: false, simulated: false },
    health: { state: 'connected', since: START },
    life: { isReceiving: true, isDouble: false, since: START },
  } as FeedWithHealth;
  const reach = UsualReach.inMemory();
  const following = followStations({ record, reach, feeds: () => [roof], fusionOf, surroundings });
  move(5 * MINUTE_MS + 30 * SECOND_MS);
  await record.flush();
  move(MINUTE_MS - SECOND_MS);
  const counted = fixes;
  // A kill during a write leaves such a file.
  await writeFile(join(folder, '2026-11-23.json.unfinished'), '{"version":1,"ho');
  const kept = positions(await open())[0]?.[1] ?? 0;
  expect(counted - kept).toBeLessThanOrEqual(60);
  expect(kept).toBeGreaterThan(300);
  expect(await readdir(folder)).toEqual(['2026-11-23.json']);
  await following.close();
  expect(positions(await open())).toEqual([[null, fixes]]);
});

test('half a file is named, its hours are not recorded, and recording continues', async () => {
  await recorded();
  const file = join(folder, '2026-11-23.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, text.length / 2));
  await writeFile(join(folder, '2026-11-22.json'), '{"version":1,"days":[]}');
  const record = await open();
  expect(log).toHaveLength(2);
  expect(log[0]).toMatch(/2026-11-23\.json is damaged .* not known\. You can delete it/);
  expect(log[1]).toContain('2026-11-22.json is damaged (it has another form)');
  expect(positions(record)).toEqual([]);
  record.sample(NOON_MS, 0, [{ ...ROOF, fixes: 1 }]);
  await record.flush();
  expect(positions(await open())).toEqual([[null, 1]]);
  expect(await readFile(`${file}.damaged`, 'utf8')).toBe(text.slice(0, text.length / 2));
  await writeFile(file, 'damaged again');
  const again = await open();
  again.sample(NOON_MS, 0, [ROOF]);
  await again.flush();
  expect(await readFile(`${file}.damaged-2`, 'utf8')).toBe('damaged again');
});

test('the file of a newer Lookout is neither replaced nor deleted, and other days are stored', async () => {
  const [ofOldDay, ofToday] = ['2026-10-01.json', '2026-11-23.json'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const text = '{"version":3,"in":"a form to come"}';
  for (const file of [ofOldDay, ofToday]) await writeFile(file, text);
  const record = await open();
  expect(log).toEqual(
    [ofToday, ofOldDay].map(
      (file) =>
        `stations: ${file} was written by a newer Lookout (version 3, this one reads 2): its hours are left out, and its day is not stored, until that Lookout runs.`,
    ),
  );
  for (let day = 0; day < 40; day += 1) {
    record.sample(NOON_MS + day * DAY_MS, day, [ROOF]);
    await record.flush();
  }
  expect(record.problem).toBeUndefined();
  for (const file of [ofOldDay, ofToday]) expect(await readFile(file, 'utf8')).toBe(text);
  expect(await readdir(folder)).toHaveLength(DAYS_KEPT + 2);
});

test('a file that cannot be read stays as it is', async () => {
  await mkdir(join(folder, '2026-11-23.json'));
  const record = await recorded();
  expect(log).toEqual([expect.stringMatching(/2026-11-23\.json cannot be read \(EISDIR.*Let this user read it\.$/)]);
  expect(record.problem).toBeUndefined();
  expect(await readdir(folder)).toEqual(['2026-11-23.json']);
});

test('keeps 31 days, whatever their dates', async () => {
  const record = await open();
  for (let day = 0; day < 40; day += 1) {
    record.sample(NOON_MS + day * DAY_MS, day, [ROOF]);
    await record.flush();
  }
  const kept = await readdir(folder);
  expect(kept).toHaveLength(DAYS_KEPT);
  expect(kept.sort()[0]).toBe('2026-12-02.json');
});

test('hours that an earlier Lookout stored have no comparison, which is not 0', async () => {
  const row = ['roof', 11, 3600, 0, 0, 500, 20, 40, 7, 0];
  await writeFile(join(folder, '2026-11-23.json'), JSON.stringify({ version: 1, hours: [row] }));
  const record = await open();
  record.sample(NOON_MS, 0, [ROOF]);
  const hours = () => [...record.days.values()][0]?.get('roof')?.slice(11, 13);
  expect(hours()).toMatchObject([{ fixes: 500, aircraft: null }, { aircraft: NO_AIRCRAFT }]);
  await record.flush();
  expect([...(await open()).days.values()][0]?.get('roof')?.slice(11, 13)).toMatchObject([
    { fixes: 500, aircraft: null },
    { aircraft: NO_AIRCRAFT },
  ]);
  expect(log).toEqual([]);
});

test('a folder that cannot be written is reported once, until it can be written', async () => {
  const blocked = join(folder, 'stations');
  await writeFile(blocked, '');
  const record = await recorded(blocked);
  await record.flush();
  expect(record.problem).toBe('disk_failed');
  await rm(blocked);
  await mkdir(blocked);
  await record.flush();
  expect(record.problem).toBeUndefined();
  expect(log).toEqual([
    expect.stringMatching(/^stations: disk_failed: the hours of the receivers are not stored/),
    'stations: the hours of the receivers are stored again',
  ]);
  expect(positions(await open(blocked))).toEqual([[null, 5]]);
});

describe.skipIf(cannotMount !== undefined)(`on a full disk ${cannotMount ?? ''}`, () => {
  test('the last whole file stays, and all hours are stored once there is room', async () => {
    const disk = await mountSmallDisk(folder, 200_000);
    try {
      const record = await recorded(disk.path);
      disk.fill();
      record.sample(NOON_MS + SECOND_MS, 1000, [{ ...ROOF, fixes: 9 }]);
      await record.flush();
      expect(record.problem).toBe('disk_full');
      expect(log).toEqual([expect.stringContaining('stations: disk_full')]);
      expect(positions(await open(disk.path))).toEqual([[null, 5]]);
      disk.free();
      await record.flush();
      expect(record.problem).toBeUndefined();
      expect(positions(await open(disk.path))).toEqual([[null, 9]]);
    } finally {
      await disk.remove();
    }
  });
});

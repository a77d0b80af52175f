import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeAccountsFile } from '../accounts/sqlite/accounts-file.ts';
import { observation } from '../conformance/listed-source.ts';
import { confirmDeletion } from '../data-dir/confirmed-deletion.ts';
import { openDataDir } from '../data-dir/open-data-dir.ts';
import { trackKey } from '../past/arbitrary-observation.fixture.ts';
import { EmbeddedPast } from '../past/files/embedded-past.ts';
import { PERIOD_MS, periodStart } from '../past/period.ts';
import { ReceptionRecord } from '../receivers/reception/reception-record.ts';
import { NO_AIRCRAFT } from '../receivers/stations/deafness.ts';
import { StationRecord } from '../receivers/stations/station-record.ts';
import { dayStartMs } from '../receivers/stations/station-tally.ts';
import { UsualReach } from '../receivers/stations/usual-reach.ts';
import { endProcesses, run } from './service-process.fixture.ts';

const HOUR_AGO = periodStart(upstreamInstant(Date.now() - HOUR_MS));
const silent = () => undefined;

/** Has one file of each kind that the service keeps. */
let kept: string;
let data: string;
beforeAll(async () => {
  kept = mkdtempSync(join(tmpdir(), 'file-versions-'));
  openDataDir(kept).release();
  makeAccountsFile(join(kept, 'accounts.sqlite'));
  confirmDeletion(kept, addMs(HOUR_AGO, -40 * DAY_MS));
  let now = addMs(HOUR_AGO, SECOND_MS);
  const past = await EmbeddedPast.open({ folder: join(kept, 'past'), now: () => now, log: silent });
  const append = async (offsetMs: number) => {
    now = addMs(HOUR_AGO, offsetMs);
    past.append([observation({ sourceId: trackKey(1), observedAt: now })]);
    await past.flush();
    await past.maintain();
  };
  await append(SECOND_MS);
  await append(PERIOD_MS + HOUR_MS / 60 + SECOND_MS);
  await past.close();
  const stations = await StationRecord.open(join(kept, 'stations'), silent);
  const sample = { id: 'roof', simulated: false, isConnected: true, quietMs: 0, fixes: 5, alone: 2 };
  // At noon: the seconds after it are of the same day.
  const yesterdayMs = dayStartMs(Date.now()) - DAY_MS / 2;
  stations.sample(yesterdayMs, 0, [{ ...sample, clockErrorMs: 40, clockSpreadMs: 7, aircraft: NO_AIRCRAFT }]);
  await stations.flush();
  const reception = await ReceptionRecord.open(join(kept, 'reception'), silent);
  const feed = { id: 'roof', layers: ['adsb'] as const, isReceiving: true, sinceMs: yesterdayMs };
  for (const ms of [0, SECOND_MS]) reception.sample({ wallMs: yesterdayMs + ms, steadyMs: ms }, [feed]);
  await reception.flush();
  const reach = await UsualReach.open(join(kept, 'reach'), silent);
  reach.moveTo(dayStartMs(yesterdayMs));
  reach.note('roof', 1, 5, true);
  await reach.flush();
});
afterAll(() => rmSync(kept, { recursive: true }));
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'file-versions-'));
  cpSync(kept, data, { recursive: true });
  writeFileSync(join(data, 'feeds.json'), '{"feeds":[{"id":"roof","url":"http://127.0.0.1:9"}]}');
});
afterEach(() => {
  endProcesses();
  rmSync(data, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

const fileLike = (pattern: RegExp) => {
  const names = (readdirSync(data, { recursive: true }) as string[]).filter((name) => pattern.test(name));
  expect(names).toHaveLength(1);
  return join(data, names[0] ?? '');
};

const userVersion = (file: string, version: number) => {
  const database = new DatabaseSync(file);
  database.exec(`pragma user_version = ${version}`);
  database.close();
};
const bytes = (change: (bytes: Buffer) => void) => (file: string) => {
  const found = readFileSync(file);
  change(found);
  writeFileSync(file, found);
};
const text = (from: string | RegExp, to: string) => (file: string) => {
  const found = readFileSync(file, 'utf8');
  expect(found).toMatch(from);
  writeFileSync(file, found.replace(from, to));
};
const noDatabase = (file: string) => writeFileSync(file, 'no database at all, but long enough '.repeat(100));

interface Kind {
  readonly name: RegExp;
  readonly reads: number;
  readonly makeNewer: (file: string, newer: number) => void;
  readonly damage: (file: string) => void;
  readonly isRefused: { readonly newer: boolean; readonly damaged: boolean };
  readonly remedy: RegExp;
}

const KINDS: readonly (readonly [string, Kind])[] = [
  [
    'accounts',
    {
      name: /^accounts\.sqlite$/,
      reads: 1,
      makeNewer: userVersion,
      damage: noDatabase,
      isRefused: { newer: true, damaged: true },
      remedy: /start that Lookout, or restore the directory from a backup/,
    },
  ],
  [
    'the reference secret',
    {
      name: /^reference-secret$/,
      reads: 1,
      makeNewer: (file, newer) => text(/^1:/, `${newer}:`)(file),
      damage: text(/^1:..../, '1:zzzz'),
      isRefused: { newer: true, damaged: true },
      remedy: /start that Lookout, or restore it from a backup/,
    },
  ],
  [
    'the catalogue',
    {
      name: /catalogue\.sqlite$/,
      reads: 1,
      makeNewer: userVersion,
      damage: noDatabase,
      isRefused: { newer: true, damaged: false },
      remedy: /start that Lookout, or move the file away: this one makes it again from the segments/,
    },
  ],
  [
    'a segment',
    {
      name: /\.segment$/,
      reads: 3,
      makeNewer: (file, newer) => bytes((found) => found.writeUInt32LE(newer, found.length - 8))(file),
      damage: bytes((found) => found.fill(0, found.length - 40)),
      isRefused: { newer: false, damaged: false },
      remedy: /answers over its five minutes are truncated until that Lookout reads it/,
    },
  ],
  [
    'a log',
    {
      name: /\.log$/,
      reads: 2,
      makeNewer: (file, newer) => bytes((found) => found.writeUInt32LE(newer, 4))(file),
      damage: bytes((found) => found.fill(0x5a)),
      isRefused: { newer: false, damaged: false },
      remedy: /answers over its five minutes are truncated until that Lookout reads it/,
    },
  ],
  [
    'a day of stations',
    {
      name: /^stations\/.*\.json$/,
      reads: 2,
      makeNewer: (file, newer) => text('"version":2', `"version":${newer}`)(file),
      damage: (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20)),
      isRefused: { newer: false, damaged: false },
      remedy: /its hours are left out, and its day is not stored, until that Lookout runs/,
    },
  ],
  [
    'a day of reception',
    {
      name: /^reception\/.*\.json$/,
      reads: 2,
      makeNewer: (file, newer) => text('"version":2', `"version":${newer}`)(file),
      damage: (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20)),
      isRefused: { newer: false, damaged: false },
      remedy: /its times of reception are left out, and its day is not stored, until that Lookout runs/,
    },
  ],
  [
    'a day of reach',
    {
      name: /^reach\/.*\.json$/,
      reads: 1,
      makeNewer: (file, newer) => text('"version":1', `"version":${newer}`)(file),
      damage: (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20)),
      isRefused: { newer: false, damaged: false },
      remedy: /its places of reach are left out, and its day is not stored, until that Lookout runs/,
    },
  ],
  [
    'a confirmed deletion',
    {
      name: /^past-may-be-deleted-before$/,
      reads: 1,
      makeNewer: (file, newer) => text(/^1:/, `${newer}:`)(file),
      damage: text(/T/, 'x'),
      isRefused: { newer: false, damaged: false },
      remedy: /nothing is deleted by it; start that Lookout, or confirm again after moving it away/,
    },
  ],
];

async function startedAndStopped(isRefused: boolean): Promise<string> {
  const service = run(['serve', '--port', '0', '--data', data, '--feeds', join(data, 'feeds.json')]);
  if (!isRefused) {
    await service.ready;
    service.child.kill('SIGTERM');
  }
  const { code, stderr } = await service.ended;
  expect([code, stderr]).toEqual([isRefused ? 1 : 0, stderr]);
  return stderr;
}

test('a directory as this Lookout leaves it is used as it is', async () => {
  const stderr = await startedAndStopped(false);
  expect(stderr).not.toMatch(/version \d|damaged|cannot be read|can't be read/);
});

describe.each(KINDS)('%s', (_, { name, reads, makeNewer, damage, isRefused, remedy }) => {
  test('of a newer Lookout is named with what to do, is not called damaged, and stays as it is', async () => {
    const file = fileLike(name);
    makeNewer(file, reads + 1);
    // The catalogue knows the segment from before.
    if (file.endsWith('.segment')) rmSync(join(data, 'past/catalogue.sqlite'));
    const before = readFileSync(file);
    const stderr = await startedAndStopped(isRefused.newer);
    const [line = '', ...others] = stderr.split('\n').filter((each) => each.includes(file));
    expect(line).toContain(`${file} was written by a newer Lookout (version ${reads + 1}, this one reads ${reads}): `);
    expect(line).toMatch(remedy);
    expect(others).toEqual([]);
    expect(stderr).not.toContain('damaged');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('that is damaged is called so, and is not lost', async () => {
    const file = fileLike(name);
    damage(file);
    const before = readFileSync(file);
    if (file.endsWith('.segment')) rmSync(join(data, 'past/catalogue.sqlite'));
    const stderr = await startedAndStopped(isRefused.damaged);
    const line = stderr.split('\n').find((each) => each.includes(file)) ?? '';
    expect(line).toMatch(/is damaged/);
    const places = [file, `${file}.damaged`].filter((place) => existsSync(place));
    expect(places.some((place) => readFileSync(place).equals(before))).toBe(true);
    expect(line).not.toContain('newer Lookout');
  });
});

test('files that the service does not know stay, whatever it deletes', async () => {
  const unknown = [
    'stations/2020-01-01.json.of-theirs',
    'stations/notes.unfinished',
    'past/segments/20200101/notes.unfinished',
    'past/log/notes.log',
  ];
  mkdirSync(join(data, 'past/segments/20200101'));
  for (const each of unknown) writeFileSync(join(data, each), 'theirs');
  await startedAndStopped(false);
  for (const each of unknown) expect(readFileSync(join(data, each), 'utf8')).toBe('theirs');
});

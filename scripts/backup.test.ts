import { execFileSync, spawnSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockDataDir } from '#lib/server/database/data-dir.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { cannotMount, mountSmallDisk, type SmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { some } from '#testing/budget.ts';
import { eventually } from '#testing/eventually.ts';
import { type Cluster, postgresPrograms, startCluster } from '#testing/postgres-cluster.ts';
import {
  filesIn,
  fillDatabase,
  fillReceivers,
  killCommand,
  RECEIVED,
  RECORDS,
  runCommand,
  startWriting,
} from './backup/lookout-data.fixture.ts';
import { makeBackup } from './backup/make-backup.ts';
import { verifyBackup } from './backup/verify-backup.ts';
import { root } from './docs/document.ts';

let base: string;
let dataDir: string;
let copy: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lookout-backup-'));
  dataDir = join(base, 'data');
  copy = join(base, 'copy');
  mkdirSync(dataDir, { mode: 0o700 });
});

const sqlite = (folder = dataDir) => ({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') }) as const;
const backUp = (
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
) => runCommand('backup', args, { DATA_DIR: dataDir, ...settings }, within);
const verify = (folder = copy) => backUp(['--verify', folder]);
const manifestOf = (folder = copy) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const WHOLE = { status: 0, stderr: '' };

async function fillDataDir(): Promise<void> {
  await fillReceivers(dataDir);
  await fillDatabase(sqlite());
}

test('a backup has what must not be lost, for its owner alone, and counts it', async () => {
  await fillDataDir();
  const { stdout, ...ended } = backUp([join(base, 'deep/copy')]);
  expect(ended).toEqual(WHOLE);
  copy = join(base, 'deep/copy');
  expect(filesIn(copy)).toEqual([...RECEIVED, 'lookout.sqlite', 'manifest.json'].sort());
  for (const name of filesIn(copy)) expect([name, statSync(join(copy, name)).mode & 0o077]).toEqual([name, 0]);
  for (const name of RECEIVED) expect(readFileSync(join(copy, name))).toEqual(readFileSync(join(dataDir, name)));
  const { database, past } = manifestOf();
  expect(database.rows).toMatchObject({ view: 8, ledger: 0 });
  expect(past).toEqual({ segments: 1, logs: 1, records: RECORDS });
  expect(stdout).toContain(`Received past: 1 segments, 1 logs, ${RECORDS} records`);
  expect(readdirSync(join(base, 'deep'))).toEqual(['copy']);
  expect(verify()).toMatchObject(WHOLE);
});

test('names everything in DATA_DIR that it does not take', async () => {
  await fillDataDir();
  mkdirSync(join(dataDir, 'maps'));
  mkdirSync(join(dataDir, 'an-old-backup'));
  for (const name of ['maps/zurich.pmtiles', 'notes.txt', 'key', 'an-old-backup/x'])
    writeFileSync(join(dataDir, name), name);
  writeFileSync(join(base, 'key'), 'k');
  symlinkSync(join(base, 'key'), join(dataDir, 'maps/linked.pmtiles'));
  const { stdout } = backUp([copy], { POSITIONS_API_KEY_FILE: '/etc/lookout/key' });
  const left = stdout.split('\n').filter((line) => line.startsWith('Not taken'));
  for (const name of [
    'maps/zurich.pmtiles',
    'notes.txt',
    'key',
    'an-old-backup',
    'maps/linked.pmtiles',
    'catalogue.sqlite',
    'past-may-be-deleted-before',
    'ledger',
    'the settings',
    '/etc/lookout/key',
  ])
    expect(left.join('\n')).toContain(name);
  expect(filesIn(copy).filter((name) => name.startsWith('maps'))).toEqual([]);
  expect(backUp(['--with', 'maps', '--without', 'past,reference-secret', join(base, 'other')])).toMatchObject(WHOLE);
  expect(filesIn(join(base, 'other'))).toEqual(['lookout.sqlite', 'manifest.json', 'maps/zurich.pmtiles']);
});

test('a backup into an empty folder is made, and into one with files is refused', async () => {
  await fillDatabase(sqlite());
  mkdirSync(copy);
  expect(backUp([copy])).toMatchObject(WHOLE);
  expect(backUp([copy])).toMatchObject({ status: 1, stderr: expect.stringContaining('is not empty') });
  expect(existsSync(join(copy, 'lookout.sqlite'))).toBe(true);
});

test.each([
  ['without a database', () => undefined, 'There is no database at'],
  ['with an empty file', () => writeFileSync(sqlite().file, ''), 'has no tables of Lookout'],
  [
    'with another database',
    () => new DatabaseSync(sqlite().file).exec('create table t (x)'),
    'has no tables of Lookout',
  ],
  ['with a file that is none', () => writeFileSync(sqlite().file, 'not a database '.repeat(100)), 'lookout.sqlite'],
  [
    'with tables that no Lookout has used',
    async () => (await openDatabase(sqlite())).close(),
    'no Lookout has used it yet',
  ],
])('a DATA_DIR %s is an error, and leaves nothing', async (_, fill, words) => {
  await fill();
  const { status, stdout, stderr } = backUp([join(base, 'deep/copy')]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('There is no backup yet');
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(base, 'deep'))).toBe(false);
});

test('refuses the database of an earlier time, which the running Lookout does not use', async () => {
  await fillDatabase(sqlite());
  const isRefused = { status: 1, stderr: expect.stringContaining('is of an earlier time') };
  for (const folder of [dataDir, join(dataDir, '3001')]) {
    const lock = lockDataDir(folder);
    expect(backUp([copy])).toMatchObject(isRefused);
    lock.release();
  }
  const lock = lockDataDir(dataDir);
  const database = await openDatabase(sqlite());
  expect(backUp([copy])).toMatchObject(WHOLE);
  await database.close();
  lock.release();
});

test('copies one moment of a database that is written without pause', async () => {
  await fillDatabase(sqlite(), 50);
  const writing = await startWriting(sqlite());
  try {
    expect(backUp([copy])).toMatchObject(WHOLE);
  } finally {
    await writing.stop();
  }
  const { view, start_view } = manifestOf().database.rows;
  expect(view - 400).toBeGreaterThan(0);
  expect(start_view).toBe(view - 400);
  expect(verify()).toMatchObject(WHOLE);
});

describe('verify', () => {
  let made: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-backup-'));
    made = join(folder, 'copy');
    await fillReceivers(join(folder, 'data'));
    await fillDatabase(sqlite(join(folder, 'data')));
    expect(runCommand('backup', [made], { DATA_DIR: join(folder, 'data') })).toMatchObject(WHOLE);
  });
  const segment = RECEIVED[1]!;
  const changeManifest = (change: (text: string) => string) => {
    const file = join(copy, 'manifest.json');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  const flipByte = (name: string) => {
    const bytes = readFileSync(join(copy, name));
    bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
    writeFileSync(join(copy, name), bytes);
  };
  test.each([
    ['a missing database', () => rmSync(join(copy, 'lookout.sqlite')), 'lookout.sqlite is missing'],
    [
      'a database that was cut',
      () => truncateSync(join(copy, 'lookout.sqlite'), 8192),
      'lookout.sqlite has 8192 bytes',
    ],
    ['a byte of a database', () => flipByte('lookout.sqlite'), 'lookout.sqlite is damaged'],
    ['an empty segment', () => truncateSync(join(copy, segment), 0), `${segment} has 0 bytes`],
    ['a byte of a segment', () => flipByte(segment), `${segment} is damaged`],
    ['a missing secret', () => rmSync(join(copy, 'receivers/reference-secret')), 'reference-secret is missing'],
    [
      'a folder in the place of a file',
      () => {
        rmSync(join(copy, segment));
        mkdirSync(join(copy, segment));
      },
      `${segment} is not a file`,
    ],
    ['a missing manifest', () => rmSync(join(copy, 'manifest.json')), 'manifest.json is missing'],
    ['a manifest that was cut', () => changeManifest((text) => text.slice(0, 100)), 'manifest.json is damaged'],
    [
      'another count of rows',
      () => changeManifest((text) => text.replace('"view": 8', '"view": 9')),
      'table view has 8 rows',
    ],
    [
      'another count of records',
      () => changeManifest((text) => text.replace('"records": 3', '"records": 4')),
      '3 records',
    ],
    [
      'a name that leads out',
      () => changeManifest((text) => text.replace(segment, '../../outside')),
      'manifest.json is damaged',
    ],
    [
      'no database',
      () => changeManifest((text) => text.replace('"lookout.sqlite":', '"other":')),
      'does not list lookout.sqlite',
    ],
    ['no folder', () => rmSync(copy, { recursive: true }), 'There is no folder'],
  ])('names %s', async (_, damage, words) => {
    cpSync(made, copy, { recursive: true });
    damage();
    const { problems } = await verifyBackup(copy);
    expect(problems.join()).toContain(words);
  });

  test('exits with 1 for a problem, without a trace of the program', () => {
    cpSync(made, copy, { recursive: true });
    flipByte(segment);
    const { status, stderr } = verify();
    expect(status).toBe(1);
    expect(stderr).toContain(`  ${segment} is damaged`);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('reads a backup on a read-only disk, and says what was added', () => {
    cpSync(made, copy, { recursive: true });
    writeFileSync(join(copy, 'notes.txt'), 'mine');
    for (const name of [copy, join(copy, 'lookout.sqlite')]) chmodSync(name, 0o500);
    const before = filesIn(copy);
    expect(verify()).toMatchObject({ ...WHOLE, stdout: expect.stringContaining('Not of the backup: notes.txt') });
    expect(filesIn(copy)).toEqual(before);
  });
});

describe('--keep', () => {
  const OLD = ['2026-01-01T000000Z', '2026-01-02T000000Z', '2026-01-03T000000Z'];

  test('deletes only the oldest whole backups that it made, and what was left of killed ones', async () => {
    await fillDatabase(sqlite());
    backUp([copy]);
    for (const name of OLD) cpSync(copy, join(base, 'kept', name), { recursive: true });
    const others = ['by-hand', '2026-01-04T000000Z', '2026-01-05T000000Z.unfinished'];
    for (const name of others) mkdirSync(join(base, 'kept', name, 'x'), { recursive: true });
    writeFileSync(join(base, 'kept/by-hand/manifest.json'), '{}');
    for (const name of ['2026-01-06T000000Z.unfinished', '2026-01-07T000000Z.deleted'])
      cpSync(copy, join(base, 'kept', name), { recursive: true });
    writeFileSync(join(base, 'kept/2026-01-06T000000Z.unfinished/.in-progress'), '');
    const { stdout, ...ended } = backUp(['--keep', '2', join(base, 'kept')]);
    expect(ended).toEqual(WHOLE);
    expect(stdout).toContain('Deleted: 2026-01-01T000000Z');
    const names = readdirSync(join(base, 'kept'));
    expect(names).toEqual(expect.arrayContaining([...others, OLD[2]!]));
    expect(names).toHaveLength(others.length + 2);
    expect(verify(join(base, 'kept')).stdout).toContain(`${names.sort().at(-2)} is whole`);
  });

  test.each([
    [1, 0],
    [2, 1],
    [4, 2],
  ])('%i keeps the new backup and %i of two others where the clock was set back', async (keep, left) => {
    await fillDatabase(sqlite());
    backUp([copy]);
    const later = ['2999-01-01T000000Z', '2999-01-02T000000Z'];
    for (const name of later) cpSync(copy, join(base, 'kept', name), { recursive: true });
    expect(backUp(['--keep', String(keep), join(base, 'kept')])).toMatchObject(WHOLE);
    const names = readdirSync(join(base, 'kept')).sort();
    expect(names.slice(1)).toEqual(later.slice(2 - left));
    expect(names[0]).toMatch(/^20[2-9]\d-/);
  });

  test('deletes nothing when the new backup fails', async () => {
    await fillDatabase(sqlite());
    backUp([copy]);
    for (const name of OLD) cpSync(copy, join(base, 'kept', name), { recursive: true });
    rmSync(sqlite().file);
    expect(backUp(['--keep', '1', join(base, 'kept')]).status).toBe(1);
    expect(readdirSync(join(base, 'kept'))).toEqual(OLD);
  });
});

test('notes the time of the last good backup and of its verification, for Lookout alone', async () => {
  await fillDatabase(sqlite());
  const last = () => JSON.parse(readFileSync(join(dataDir, 'last-backup.json'), 'utf8'));
  backUp([copy]);
  const { made, verified } = last();
  expect(made).toBe(manifestOf().made);
  expect(Date.parse(verified)).toBeGreaterThanOrEqual(Date.parse(made));
  expect(statSync(join(dataDir, 'last-backup.json')).mode & 0o777).toBe(0o600);
  verify();
  expect(last().made).toBe(made);
  expect(Date.parse(last().verified)).toBeGreaterThan(Date.parse(verified));
  rmSync(join(dataDir, 'last-backup.json'));
  mkdirSync(join(dataDir, 'last-backup.json'));
  expect(backUp([join(base, 'second')])).toMatchObject(WHOLE);
});

test.each([
  [[]],
  [['--unknown', 'x']],
  [['a', 'b']],
  [['--verify']],
  [['--keep', '0', 'x']],
  [['--keep', 'all', 'x']],
  [['--verify', '--keep', '3', 'x']],
  [['--with', 'past', 'x']],
  [['--without', 'database', 'x']],
])('refuses the arguments %j with the usage', (args) => {
  const { status, stderr } = backUp(args);
  expect(status).toBe(1);
  expect(stderr).toContain('npm run backup -- --verify FOLDER');
});

test('reads settings from a file, after those of the environment', async () => {
  await fillDatabase(sqlite());
  writeFileSync(join(base, 'lookout.env'), `DATA_DIR=${dataDir}\nLOG_LEVEL=warn\n`);
  const { status, stdout } = runCommand('backup', ['--settings', join(base, 'lookout.env'), copy], {});
  expect(status).toBe(0);
  expect(stdout).toContain(join(base, 'lookout.env'));
  expect(backUp(['--settings', join(base, 'nowhere.env'), copy])).toMatchObject({ status: 1 });
  expect(runCommand('backup', ['--help'], {})).toMatchObject(WHOLE);
});

describe.skipIf(cannotMount !== undefined)(`with a small disk ${cannotMount ?? ''}`, () => {
  async function onDisk(run: (disk: SmallDisk, folder: string) => unknown): Promise<void> {
    const folder = join(base, 'disk');
    mkdirSync(folder);
    const disk = await mountSmallDisk(folder, 700_000);
    try {
      await run(disk, folder);
    } finally {
      await disk.remove();
    }
  }

  test.each([
    ['is full', 1, true],
    ['gets full', 1500, false],
  ])('a backup onto a disk that %s says so in words, and leaves nothing there', async (_, times, isFull) => {
    await fillReceivers(dataDir);
    await fillDatabase(sqlite(), times);
    await onDisk((disk, folder) => {
      if (isFull) disk.fill();
      const before = readdirSync(disk.path);
      const { status, stderr, stdout } = backUp([join(folder, 'deep/copy')], {}, disk.within);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^There is no backup.*disk is full\. Make room on it\. Name a folder on another disk/);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(readdirSync(disk.path)).toEqual(before);
    });
  });

  test('a backup onto a read-only disk says so in words', async () => {
    await fillDatabase(sqlite());
    await onDisk((disk, folder) => {
      disk.makeReadOnly();
      const { status, stderr } = backUp([join(folder, 'copy')], {}, disk.within);
      expect(status).toBe(1);
      expect(stderr).toMatch(/disk is read-only\. Name a folder on another disk/);
    });
  });

  test('a DATA_DIR whose disk is full is backed up to another disk', async () => {
    await fillDatabase(sqlite());
    await onDisk((disk, folder) => {
      // SQLite would follow the link to this process's own root.
      cpSync(dataDir, disk.path, { recursive: true });
      disk.fill();
      dataDir = folder;
      expect(backUp([copy], {}, disk.within)).toMatchObject(WHOLE);
      expect(verify()).toMatchObject(WHOLE);
    });
  });
});

test('a backup that is killed at any moment is whole or leaves no folder of its name, and the next one clears up', async () => {
  await fillReceivers(dataDir);
  await fillDatabase(sqlite(), 1500);
  const unfinished = `${copy}.unfinished`;
  const moments = some([
    () => existsSync(unfinished),
    () => existsSync(join(unfinished, 'lookout.sqlite')),
    () => (statSync(join(unfinished, 'lookout.sqlite'), { throwIfNoEntry: false })?.size ?? 0) > 0,
    () => existsSync(join(unfinished, 'lookout.sqlite-journal')),
    () => existsSync(join(unfinished, 'receivers')),
    () => existsSync(join(unfinished, 'manifest.json')),
    () => existsSync(join(unfinished, 'manifest.json')) && !existsSync(join(unfinished, '.in-progress')),
    () => existsSync(copy),
  ]);
  for (const isMoment of moments) {
    const wasKilled = await killCommand('backup', [copy], { DATA_DIR: dataDir }, isMoment);
    expect(wasKilled || existsSync(copy)).toBe(true);
    if (!existsSync(copy)) expect(backUp([copy])).toMatchObject(WHOLE);
    expect(verify()).toMatchObject(WHOLE);
    expect(existsSync(unfinished)).toBe(false);
    expect(manifestOf().database.rows.view).toBe(8 * 1500);
    rmSync(copy, { recursive: true });
  }
});

const programs = postgresPrograms();
describe.skipIf(programs === undefined)('of PostgreSQL', () => {
  let cluster: Cluster;
  beforeAll(() => {
    cluster = startCluster(programs!);
    // Within a small disk's name space, the socket belongs to a stranger.
    chmodSync(cluster.folder, 0o755);
  });
  afterAll(() => cluster.remove());
  const urlOf = (database: string, user = 'admin') => `postgres:///${database}?host=${cluster.folder}&user=${user}`;

  test('is a dump of one moment while servers write, with the rows of each table', async () => {
    const target = cluster.target();
    await fillDatabase(target, 50);
    writeFileSync(sqlite().file, 'of an earlier time');
    const writing = await startWriting(target);
    const settings = { DATABASE_URL: urlOf(target.database) };
    try {
      const { stdout, ...ended } = backUp([join(base, 'deep/copy')], settings);
      expect(ended).toEqual(WHOLE);
      expect(stdout).toContain('Not taken: lookout.sqlite in DATA_DIR');
    } finally {
      await writing.stop();
    }
    copy = join(base, 'deep/copy');
    expect(filesIn(copy)).toEqual(['lookout.dump', 'manifest.json']);
    expect(statSync(join(copy, 'lookout.dump')).mode & 0o777).toBe(0o600);
    const { view, start_view, ledger } = manifestOf().database.rows;
    expect(view - 400).toBeGreaterThan(0);
    expect([start_view, ledger]).toEqual([view - 400, 0]);
    expect(verify()).toMatchObject(WHOLE);
    truncateSync(join(copy, 'lookout.dump'), 20_000);
    expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining('lookout.dump has 20000 bytes') });
  });

  test('is whole where its file is opened after pg_dump has ended', async () => {
    const target = cluster.target();
    await fillDatabase(target, 2);
    // Files are opened by threads, which all have other work first.
    const work = Array.from({ length: 16 }, () => promisify(pbkdf2)('', '', 1_000_000, 64, 'sha512'));
    await makeBackup({ dataDir, database: target, folder: copy, parts: [], version: '0.0.0', elsewhere: [] });
    await Promise.all(work);
    expect(verify()).toMatchObject(WHOLE);
  });

  test('is refused while the database has nothing in it, or is not there', async () => {
    const target = cluster.target();
    const settings = { DATABASE_URL: urlOf(target.database) };
    const refused = (words: string) => ({ status: 1, stdout: '', stderr: expect.stringContaining(words) });
    expect(backUp([copy], settings)).toEqual(refused('has no tables of Lookout'));
    await (await openDatabase(target)).close();
    expect(backUp([copy], settings)).toEqual(refused('no Lookout has used it yet'));
    expect(backUp([copy], { DATABASE_URL: urlOf('nowhere') })).toEqual(refused('createdb'));
    expect(readdirSync(base)).toEqual(['data']);
  });

  test('takes the password from its file, and shows it on no command line', async () => {
    const target = cluster.target();
    await fillDatabase(target);
    cluster.sql("create role keeper login password 'pass word' superuser");
    cluster.allow('local all keeper scram-sha-256');
    writeFileSync(join(base, 'password'), 'pass word\n', { mode: 0o600 });
    const settings = { DATABASE_URL: urlOf(target.database, 'keeper'), DATABASE_PASSWORD_FILE: join(base, 'password') };
    expect(backUp([copy], settings)).toMatchObject(WHOLE);
    writeFileSync(join(base, 'password'), 'wrong');
    expect(backUp([join(base, 'other')], settings)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('refuses the password of keeper'),
    });
  });

  test.skipIf(cannotMount !== undefined)(
    'prints a command that works as it stands where there is no pg_dump',
    async () => {
      const target = cluster.target();
      await fillDatabase(target);
      cluster.sql("create role printer login password 'it''s' superuser");
      cluster.allow('local all printer scram-sha-256');
      const password = join(base, 'pass word');
      writeFileSync(password, "it's\n");
      const settings = { DATABASE_URL: urlOf(target.database, 'printer'), DATABASE_PASSWORD_FILE: password };
      const deep = join(base, 'with space/copy');
      const hidden = [
        'unshare',
        '-rm',
        'sh',
        '-c',
        'mount -t tmpfs tmpfs /usr/lib/postgresql && PATH=/nowhere exec "$@"',
        'sh',
      ];
      const { status, stdout, stderr } = backUp([deep], settings, hidden);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toContain('There is no backup yet');
      expect(existsSync(join(base, 'with space'))).toBe(false);
      const command = stderr.split('\n').find((line) => line.startsWith('  install -d')) ?? '';
      expect(command).not.toContain("it's");
      execFileSync('sh', ['-c', command], { env: { ...process.env, PATH: `${programs}:/usr/bin:/bin` } });
      expect(statSync(join(deep, 'lookout.dump')).mode & 0o777).toBe(0o600);
      expect(statSync(deep).mode & 0o777).toBe(0o700);
      const empty = cluster.target();
      execFileSync(join(programs!, 'pg_restore'), [
        '-1',
        '-h',
        cluster.folder,
        '-U',
        'admin',
        '-d',
        empty.database,
        join(deep, 'lookout.dump'),
      ]);
      expect(cluster.sql('select count(*) from view', empty.database)).toBe('8');
    },
  );

  test('that is killed at any moment leaves no folder of its name, and no program', async () => {
    const target = cluster.target();
    await fillDatabase(target, 1500);
    const settings = { DATA_DIR: dataDir, DATABASE_URL: urlOf(target.database) };
    const unfinished = `${copy}.unfinished`;
    const size = () => statSync(join(unfinished, 'lookout.dump'), { throwIfNoEntry: false })?.size ?? -1;
    for (const isMoment of [() => existsSync(unfinished), () => size() >= 0, () => size() > 0, () => size() > 50_000]) {
      const wasKilled = await killCommand('backup', [copy], settings, isMoment);
      expect(existsSync(copy)).toBe(!wasKilled);
      if (!wasKilled) rmSync(copy, { recursive: true });
    }
    const connections = () =>
      cluster.sql("select count(*) from pg_stat_activity where application_name = 'lookout-backup'");
    await eventually(() => expect(connections()).toBe('0'));
    expect(backUp([copy], settings)).toMatchObject(WHOLE);
    expect(existsSync(unfinished)).toBe(false);
  });

  test.skipIf(cannotMount !== undefined)('onto a disk that gets full leaves nothing there', async () => {
    const target = cluster.target();
    await fillDatabase(target, 1500);
    const folder = join(base, 'disk');
    mkdirSync(folder);
    const disk = await mountSmallDisk(folder, 60_000);
    try {
      const { status, stderr } = backUp([join(folder, 'copy')], { DATABASE_URL: urlOf(target.database) }, disk.within);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^There is no backup.*disk is full/);
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      await disk.remove();
    }
  });
});

const ANALYZE = '/usr/bin/systemd-analyze';
test.skipIf(!existsSync(ANALYZE))('systemd accepts the units of the timer, and rates their exposure as low', () => {
  const names = ['lookout-backup.service', 'lookout-backup.timer'];
  for (const name of names)
    writeFileSync(
      join(base, name),
      readFileSync(join(root, 'deploy', name), 'utf8').replace('ExecStart=/opt/lookout/backup', 'ExecStart=/bin/true'),
    );
  const files = names.map((name) => join(base, name));
  const verified = spawnSync(ANALYZE, ['verify', '--man=no', ...files], { encoding: 'utf8' });
  expect(verified).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const exposed = spawnSync(ANALYZE, ['security', '--offline=yes', '--threshold=25', files[0]!], { encoding: 'utf8' });
  expect(exposed.status).toBe(0);
});

test('the unit starts a command of this Lookout with arguments that it takes', async () => {
  const [, args = ''] =
    /^ExecStart=\/opt\/lookout\/backup (.*)$/m.exec(
      readFileSync(join(root, 'deploy/lookout-backup.service'), 'utf8'),
    ) ?? [];
  await fillDatabase(sqlite());
  const there = args.split(' ').map((word) => (word.startsWith('/') ? join(base, word) : word));
  expect(backUp(there)).toMatchObject(WHOLE);
  expect(readdirSync(there.at(-1)!)).toHaveLength(1);
});

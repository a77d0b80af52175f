import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSqliteCopy } from '#lib/server/database/back-up.ts';
import { lockDataDir } from '#lib/server/database/data-dir-lock.ts';
import { refuseOldDataDir } from '#lib/server/database/old-data-dir.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { postgresClient } from '#lib/server/database/postgres-pool.ts';
import { lockForServing } from '#service/data-dir/open-data-dir.ts';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { some } from '#testing/budget.ts';
import { eventually } from '#testing/eventually.ts';
import { type Cluster, postgresPrograms, startCluster } from '#testing/postgres-cluster.ts';
import {
  filesIn,
  fillDatabase,
  fillReceivers,
  killCommand,
  RECEIVED,
  runCommand,
} from './backup/lookout-data.fixture.ts';
import { continueRestore } from './backup/restore-backup.ts';

let base: string;
let dataDir: string;
let copy: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lookout-restore-'));
  dataDir = join(base, 'data');
  copy = join(base, 'copy');
});

type Settings = Readonly<Record<string, string>>;
const sqlite = (folder = dataDir) => ({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') }) as const;
const restore = (args: readonly string[], settings: Settings = {}, within: readonly string[] = []) =>
  runCommand('restore', args, { DATA_DIR: dataDir, ...settings }, within);
const WHOLE = { status: 0, stderr: '' };
const refused = (words: string) => ({ status: 1, stdout: '', stderr: expect.stringContaining(words) });
const rowsOf = (folder: string) => readSqliteCopy(join(folder, 'lookout.sqlite')).rows;
const changeManifest = (change: (text: string) => string) => {
  const file = join(copy, 'manifest.json');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
};

/** Of 8 views for each of `times`, and the receivers' data. */
async function makeBackup(times = 1): Promise<void> {
  let made = backups.get(times);
  if (made === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-restore-'));
    await fillReceivers(join(folder, 'data'));
    await fillDatabase(sqlite(join(folder, 'data')), times);
    made = join(folder, 'copy');
    expect(runCommand('backup', [made], { DATA_DIR: join(folder, 'data') })).toMatchObject(WHOLE);
    backups.set(times, made);
  }
  cpSync(made, copy, { recursive: true });
}
const backups = new Map<number, string>();

/** Data of another Lookout: 16 views, and a secret. */
async function fillTarget(): Promise<void> {
  mkdirSync(join(dataDir, 'receivers'), { recursive: true });
  writeFileSync(join(dataDir, 'receivers/reference-secret'), 'other');
  await fillDatabase(sqlite(), 2);
}

test('puts a backup into an empty DATA_DIR, for its owner alone, with the counts of the original', async () => {
  await makeBackup();
  mkdirSync(dataDir, { mode: 0o755 });
  const { stdout, ...ended } = restore([copy]);
  expect(ended).toEqual(WHOLE);
  expect(filesIn(dataDir)).toEqual(['in-use.lock', 'lookout.sqlite', ...RECEIVED].sort());
  for (const name of RECEIVED) expect(readFileSync(join(dataDir, name))).toEqual(readFileSync(join(copy, name)));
  for (const name of readdirSync(dataDir, { recursive: true }) as string[])
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([
      name,
      statSync(join(dataDir, name)).isDirectory() ? 0o700 : 0o600,
    ]);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(rowsOf(dataDir)).toEqual(rowsOf(copy));
  expect(stdout.trim().split('\n').at(-1)).toMatch(/while the original runs.* alarms a second time.* account/);
  await (await openDatabase(sqlite())).close();
});

test.skipIf(process.getuid?.() !== 0)('by root leaves all files to the user of DATA_DIR', async () => {
  await makeBackup();
  mkdirSync(dataDir);
  spawnSync('chown', ['65534:65534', dataDir]);
  expect(restore([copy])).toMatchObject(WHOLE);
  for (const name of readdirSync(dataDir, { recursive: true }) as string[])
    expect([name, statSync(join(dataDir, name)).uid]).toEqual([name, 65_534]);
});

describe('refuses, and changes nothing', () => {
  test.each([
    ['a missing file', () => rmSync(join(copy, RECEIVED[1]!)), 'is missing'],
    ['a damaged file', () => writeFileSync(join(copy, 'receivers/reference-secret'), 'reference-secreT'), 'is damaged'],
    [
      'a newer schema',
      () => changeManifest((text) => text.replace('0005-asks-and-notes', '0099-later')),
      'migrations are others',
    ],
    ['no backup', () => rmSync(join(copy, 'manifest.json')), 'is no backup'],
    [
      'a way out of the folder',
      () => changeManifest((text) => text.replace(RECEIVED[3]!, '../outside')),
      'manifest.json is damaged',
    ],
  ])('a backup with %s', async (_, damage, words) => {
    await makeBackup();
    await fillTarget();
    const before = filesIn(dataDir);
    damage();
    expect(restore([copy, '--set-aside'])).toEqual(refused(words));
    expect(filesIn(dataDir)).toEqual(before);
  });

  test('a schema of a newer Lookout', async () => {
    const from = join(base, 'from');
    mkdirSync(from);
    await fillDatabase(sqlite(from));
    const database = await openDatabase(sqlite(from));
    await sql`insert into migration values ('0099-later', '2027')`.execute(database.query);
    await database.close();
    runCommand('backup', [copy], { DATA_DIR: from });
    expect(restore([copy])).toEqual(refused('newer Lookout (0099-later)'));
    expect(existsSync(dataDir)).toBe(false);
  });

  test('tables that were altered, of which a backup is made nevertheless', async () => {
    const from = join(base, 'from');
    mkdirSync(from);
    await fillDatabase(sqlite(from));
    const database = await openDatabase(sqlite(from));
    await sql`alter table view add column colour text`.execute(database.query);
    await database.close();
    const made = runCommand('backup', [copy], { DATA_DIR: from });
    expect(made).toMatchObject({ ...WHOLE, stdout: expect.stringContaining('colour') });
    expect(restore([copy])).toEqual(refused('colour'));
    expect(existsSync(dataDir)).toBe(false);
  });

  test('present data, unless told to set it aside', async () => {
    await makeBackup();
    await fillTarget();
    expect(restore([copy])).toEqual(refused('has data: lookout.sqlite, receivers'));
    expect(rowsOf(dataDir).view).toBe(16);
    const { stdout, ...ended } = restore(['--set-aside', copy]);
    expect(ended).toEqual(WHOLE);
    const aside = join(dataDir, readdirSync(dataDir).find((name) => name.startsWith('replaced-'))!);
    expect(stdout).toContain(aside);
    expect([rowsOf(dataDir).view, rowsOf(aside).view]).toEqual([8, 16]);
    expect(readFileSync(join(aside, 'receivers/reference-secret'), 'utf8')).toBe('other');
    expect(readdirSync(dataDir)).not.toContain('restoring');
  });

  test('a Lookout that runs, and a service that runs', async () => {
    await makeBackup();
    await fillTarget();
    const lock = lockDataDir(dataDir);
    expect(restore([copy, '--set-aside'])).toEqual(refused('Another Lookout uses DATA_DIR'));
    lock.release();
    const receivers = join(dataDir, 'receivers');
    const service = lockForServing(join(receivers, 'serve.lock'), receivers);
    expect(restore([copy, '--set-aside'])).toEqual(refused('Another service uses'));
    service.release();
    expect(restore([copy, '--set-aside'])).toMatchObject(WHOLE);
  });

  test.each([[[]], [['--unknown', 'x']], [['a', 'b']], [['--continue', 'x']], [['--continue', '--set-aside']]])(
    'the arguments %j, with the usage',
    (args) => {
      expect(restore(args)).toEqual(refused('npm run restore -- --continue'));
    },
  );
});

describe.skipIf(cannotMount !== undefined)('onto a full disk', () => {
  test.each([
    ['that is full', 0],
    ['that gets full', 1500],
  ])('%s leaves what was there', async (_, times) => {
    await makeBackup(Math.max(1, times));
    mkdirSync(dataDir);
    const disk = await mountSmallDisk(dataDir, 1_200_000);
    try {
      await fillDatabase(sqlite(disk.path), 2);
      if (times === 0) disk.fill();
      const before = filesIn(disk.path).filter((name) => !name.startsWith('in-use'));
      const { status, stdout, stderr } = restore([copy, '--set-aside'], {}, disk.within);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^Nothing was restored: .*disk.* is full/);
      expect(filesIn(disk.path).filter((name) => !name.startsWith('in-use'))).toEqual(before);
      expect(readdirSync(disk.path).filter((name) => /^(restoring|replaced)/.test(name))).toEqual([]);
    } finally {
      await disk.remove();
    }
  });
});

describe('that is killed', () => {
  test('before it puts files in place leaves the old data, and afterwards says how to go on', async () => {
    await makeBackup(200);
    await fillTarget();
    const kept = join(base, 'target');
    cpSync(dataDir, kept, { recursive: true });
    const staged = join(dataDir, 'restoring/new');
    const outcomes = { old: 0, continued: 0, whole: 0 };
    const moments = some([
      () => existsSync(join(dataDir, 'in-use.lock')),
      () => existsSync(staged),
      () => existsSync(join(staged, 'lookout.sqlite')),
      () => existsSync(join(staged, 'receivers')),
      () => existsSync(join(staged, 'receivers/stations')),
      () => readdirSync(dataDir).some((name) => name.startsWith('replaced-')),
      () => existsSync(join(dataDir, 'restoring/moves.json')),
      () => !existsSync(join(dataDir, 'lookout.sqlite')),
      () => existsSync(join(dataDir, 'receivers/past')),
      () => !existsSync(staged) && existsSync(join(dataDir, 'restoring')),
    ]);
    for (const isMoment of moments) {
      rmSync(dataDir, { recursive: true });
      cpSync(kept, dataDir, { recursive: true });
      await killCommand('restore', [copy, '--set-aside'], { DATA_DIR: dataDir }, isMoment);
      if (existsSync(join(dataDir, 'restoring/moves.json'))) {
        outcomes.continued++;
        expect(() => refuseOldDataDir(dataDir)).toThrow(/--continue/);
        expect(restore([copy, '--set-aside'])).toEqual(refused('--continue'));
        expect(restore(['--continue'])).toMatchObject(WHOLE);
      }
      const { view } = rowsOf(dataDir);
      const secret = readFileSync(join(dataDir, 'receivers/reference-secret'), 'utf8');
      expect([
        [16, 'other'],
        [1600, 'reference-secret'],
      ]).toContainEqual([view, secret]);
      if (view === 16) outcomes.old++;
      else outcomes.whole++;
    }
    expect(outcomes.old).toBeGreaterThan(0);
    expect(outcomes.whole + outcomes.old).toBe(moments.length);
    expect(restore(['--continue'])).toEqual(refused('There is no restore to finish'));
  });

  test.each(Array.from({ length: 8 }, (_, index) => index))('after %i of its moves can be finished', async (done) => {
    await makeBackup();
    await fillTarget();
    writeFileSync(join(dataDir, 'lookout.sqlite-wal'), '');
    const into = 'replaced-20261128T171500Z';
    const aside = ['lookout.sqlite-wal', 'lookout.sqlite', 'receivers'];
    const placed = ['lookout.sqlite', 'receivers'];
    const staged = join(dataDir, 'restoring/new');
    mkdirSync(staged, { recursive: true });
    for (const name of placed) cpSync(join(copy, name), join(staged, name), { recursive: true });
    mkdirSync(join(dataDir, into));
    writeFileSync(join(dataDir, 'restoring/moves.json'), JSON.stringify({ aside, into, placed }));
    const moves = [
      ...aside.map((name) => [join(dataDir, name), join(dataDir, into, name)] as const),
      ...placed.map((name) => [join(staged, name), join(dataDir, name)] as const),
    ];
    for (const [from, to] of moves.slice(0, done)) renameSync(from, to);
    // A service that was started in between makes its folder.
    const isBetween = done === 3;
    if (isBetween) mkdirSync(join(dataDir, 'receivers/past'), { recursive: true });
    expect(() => refuseOldDataDir(dataDir)).toThrow(/was interrupted/);
    expect(continueRestore(dataDir)).toBe(true);
    expect([rowsOf(dataDir).view, rowsOf(join(dataDir, into)).view]).toEqual([8, 16]);
    expect(readFileSync(join(dataDir, 'receivers/reference-secret'), 'utf8')).toBe('reference-secret');
    expect(readdirSync(dataDir).sort()).toEqual(['in-use.lock', 'lookout.sqlite', 'receivers', into]);
    expect(existsSync(join(dataDir, into, 'receivers.1'))).toBe(isBetween);
  });
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
  const settingsOf = (database: string): Settings => ({
    DATABASE_URL: `postgres:///${database}?host=${cluster.folder}&user=admin`,
  });
  const views = (database: string, schema = 'public') => cluster.sql(`select count(*) from ${schema}.view`, database);

  async function makeDump(times = 1): Promise<void> {
    let made = dumps.get(times);
    if (made === undefined) {
      const from = cluster.target();
      await fillDatabase(from, times);
      made = join(mkdtempSync(join(tmpdir(), 'lookout-restore-')), 'copy');
      expect(runCommand('backup', [made], { DATA_DIR: base, ...settingsOf(from.database) })).toMatchObject(WHOLE);
      dumps.set(times, made);
    }
    cpSync(made, copy, { recursive: true });
  }
  const dumps = new Map<number, string>();

  test('puts a dump into an empty database, with every row', async () => {
    await makeDump(3);
    const { database } = cluster.target();
    expect(restore([copy], settingsOf(database))).toMatchObject(WHOLE);
    const names = (of: string) =>
      cluster.sql("select encode(convert_to(name, 'UTF8'), 'hex') from view order by id", of);
    const from = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    expect(views(database)).toBe(String(from.database.rows.view));
    expect(names(database)).toContain(Buffer.from('two\nlines').toString('hex'));
    await (await openDatabase(cluster.target(database))).close();
    expect(existsSync(dataDir)).toBe(false);
  });

  test('refuses a database with tables, unless told to set them aside; later backups leave those out', async () => {
    await makeDump();
    const target = cluster.target();
    await fillDatabase(target, 2);
    const settings = settingsOf(target.database);
    expect(restore([copy], settings)).toEqual(refused('is not empty'));
    expect(views(target.database)).toBe('16');
    const { stdout, ...ended } = restore([copy, '--set-aside'], settings);
    expect(ended).toEqual(WHOLE);
    const [, schema] = /schema (replaced_\w+) of/.exec(stdout) ?? [];
    expect([views(target.database), views(target.database, schema)]).toEqual(['8', '16']);
    const again = join(base, 'again');
    expect(runCommand('backup', [again], { DATA_DIR: base, ...settings })).toMatchObject(WHOLE);
    const { database } = cluster.target();
    expect(restore([again], settingsOf(database))).toMatchObject(WHOLE);
    expect(views(database)).toBe('8');
    expect(cluster.sql("select count(*) from pg_namespace where nspname like 'replaced%'", database)).toBe('0');
  });

  test('refuses a database with a server that runs', async () => {
    await makeDump();
    const target = cluster.target();
    await fillDatabase(target);
    const settings = settingsOf(target.database);
    cluster.sql(
      'update writer_lease set until_ms = (extract(epoch from now()) * 1000)::bigint + 3600000',
      target.database,
    );
    expect(restore([copy, '--set-aside'], settings)).toEqual(refused('stop all its servers'));
    cluster.sql(
      "update writer_lease set until_ms = 0; insert into server values ('a', 'a', (extract(epoch from now()) * 1000)::bigint + 3600000, 1, 0, '')",
      target.database,
    );
    expect(restore([copy, '--set-aside'], settings)).toEqual(refused('stop all its servers'));
    cluster.sql("update server set name = ''", target.database);
    expect(restore([copy, '--set-aside'], settings)).toMatchObject(WHOLE);
  });

  test('refuses a dump that was changed, and one for the other kind of database', async () => {
    await makeDump();
    const { database } = cluster.target();
    const bytes = readFileSync(join(copy, 'lookout.dump'));
    bytes[bytes.length - 200]! ^= 1;
    writeFileSync(join(copy, 'lookout.dump'), bytes);
    expect(restore([copy], settingsOf(database))).toEqual(refused('lookout.dump is damaged'));
    rmSync(copy, { recursive: true });
    await makeDump();
    expect(restore([copy])).toEqual(refused('set DATABASE_URL'));
    rmSync(copy, { recursive: true });
    await makeBackup();
    expect(restore([copy], settingsOf(database))).toEqual(refused('is of SQLite'));
    expect(cluster.sql("select count(*) from pg_tables where schemaname = 'public'", database)).toBe('0');
  });

  test.each([false, true])(
    'that is killed changes all of a database or nothing, with tables: %s',
    async (hasTables) => {
      await makeDump(3000);
      const target = cluster.target();
      if (hasTables) await fillDatabase(target, 2);
      const settings = settingsOf(target.database);
      const before = () =>
        cluster.sql(
          'select schemaname, tablename from pg_tables where schemaname !~ $$^(pg_|inf)$$ order by 1, 2',
          target.database,
        );
      const tables = before();
      const watch = postgresClient(cluster.target('postgres'));
      await watch.connect();
      const numberOf = async (text: string) => Number(Object.values((await watch.query(text)).rows[0] ?? {})[0]);
      const active = () => numberOf("select count(*) from pg_stat_activity where application_name = 'lookout-backup'");
      const bytes = () => numberOf(`select pg_database_size('${target.database}')`);
      const empty = await bytes();
      const args = hasTables ? [copy, '--set-aside'] : [copy];
      let kills = 0;
      for (const isMoment of [
        async () => (await active()) > 0,
        async () => (await bytes()) > empty + 100_000,
        async () => (await bytes()) > empty + 600_000,
      ])
        if (await killCommand('restore', args, settings, isMoment)) {
          kills++;
          await eventually(async () => expect(await active()).toBe(0));
          // It had committed when it was killed.
          if (before() !== tables) break;
        }
      await watch.end();
      expect(kills).toBeGreaterThan(0);
      if (before() === tables) expect(restore(args, settings)).toMatchObject(WHOLE);
      expect(views(target.database)).toBe('24000');
    },
  );

  test.skipIf(cannotMount !== undefined)(
    'prints a command that works as it stands where there is no pg_restore',
    async () => {
      await makeDump();
      const { database } = cluster.target();
      // Without the programs, only digests can be compared.
      const hidden = [
        'unshare',
        '-rm',
        'sh',
        '-c',
        'mount -t tmpfs tmpfs /usr/lib/postgresql && PATH=/nowhere exec "$@"',
        'sh',
      ];
      const { status, stderr } = restore([copy], settingsOf(database), hidden);
      expect(status).toBe(1);
      const command = stderr.split('\n').find((line) => /^ +(\w+=\S+ )*pg_restore/.test(line)) ?? '';
      const { status: ended } = spawnSync('sh', ['-c', command], {
        env: { ...process.env, PATH: `${programs}:/usr/bin:/bin` },
      });
      expect(ended).toBe(0);
      expect(views(database)).toBe('8');
    },
  );
});

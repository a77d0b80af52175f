import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { cannotMount, mountSmallDisk, type SmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { root } from './docs/document.ts';

const RECEIVED = [
  'receivers/reference-secret',
  'receivers/past/log/20261126T120000Z.log',
  'receivers/past/segments/20261126/adsb-20261126T115500Z.segment',
];

let base: string;
let dataDir: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lookout-backup-'));
  dataDir = join(base, 'data');
});

function fillDataDir(folder: string, bytes = 1000): void {
  for (const name of [...RECEIVED, 'receivers/past/segments/20261126/x.segment.unfinished']) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name.repeat(Math.ceil(bytes / name.length)));
  }
  const database = new DatabaseSync(join(folder, 'lookout.sqlite'));
  database.exec(
    'pragma journal_mode = wal; create table kept (text text) strict; create table ledger (saved text) strict; create table part (body blob) strict',
  );
  database.exec("insert into ledger values ('of an earlier hour'); insert into part values (zeroblob(200000))");
  database.prepare('insert into kept values (?)').run('x'.repeat(bytes));
  database.close();
}

function backUp(target: string, within: readonly string[] = [], settings: Readonly<Record<string, string>> = {}) {
  const [program = '', ...args] = [
    ...within,
    process.execPath,
    '--conditions=react-server',
    join(root, 'scripts/backup.ts'),
    target,
  ];
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { ...process.env, DATA_DIR: dataDir, INIT_CWD: base, ...settings },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

test('a backup has what must not be lost, also what own receivers received, for its owner alone', () => {
  fillDataDir(dataDir);
  const { status, stdout } = backUp(join(base, 'deep/copy'));
  expect(status).toBe(0);
  expect(stdout).toContain('receivers, 3 files');
  const copy = join(base, 'deep/copy');
  expect(filesIn(copy)).toEqual([...RECEIVED, 'lookout.sqlite'].sort());
  for (const name of filesIn(copy)) expect([name, statSync(join(copy, name)).mode & 0o077]).toEqual([name, 0]);
  for (const name of RECEIVED) expect(readFileSync(join(copy, name))).toEqual(readFileSync(join(dataDir, name)));
  expect(readdirSync(join(base, 'deep'))).toEqual(['copy']);
  const database = new DatabaseSync(join(copy, 'lookout.sqlite'), { readOnly: true });
  const rowsOf = (table: string) => database.prepare(`select * from ${table}`).all().length;
  expect([rowsOf('kept'), rowsOf('ledger'), rowsOf('part')]).toEqual([1, 0, 0]);
  database.close();
});

test('a backup into an empty folder is made, and into one with files is refused', () => {
  fillDataDir(dataDir);
  const copy = join(base, 'copy');
  mkdirSync(copy);
  expect(backUp(copy).status).toBe(0);
  const refused = backUp(copy);
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is not empty') });
  expect(existsSync(join(copy, 'lookout.sqlite'))).toBe(true);
});

test('prints the command that copies a database in PostgreSQL, also without a DATA_DIR', () => {
  const url = 'postgres://lookout@db.example:5433/look%20out';
  const { status, stdout } = backUp(join(base, 'copy'), [], { DATABASE_URL: url });
  expect(status).toBe(0);
  expect(stdout).toContain(
    `pg_dump --format=custom --no-owner --exclude-table-data=ledger --exclude-table-data=part --file=${join(base, 'copy/lookout.dump')} --host=db.example --port=5433 --username=lookout '--dbname=look out'`,
  );
  expect(existsSync(join(base, 'copy'))).toBe(false);
});

test('a file that cannot be copied leaves no backup, and the words name it', () => {
  fillDataDir(dataDir);
  writeFileSync(join(dataDir, 'lookout.sqlite'), 'not a database '.repeat(100));
  const { status, stderr } = backUp(join(base, 'deep/copy'));
  expect(status).toBe(1);
  expect(stderr).toContain('There is no backup');
  expect(stderr).toContain('lookout.sqlite');
  expect(existsSync(join(base, 'deep'))).toBe(false);
});

describe.skipIf(cannotMount !== undefined)(`with a small disk ${cannotMount ?? ''}`, () => {
  async function onDisk(run: (disk: SmallDisk, folder: string) => void): Promise<void> {
    const folder = join(base, 'disk');
    mkdirSync(folder);
    const disk = await mountSmallDisk(folder, 400_000);
    try {
      run(disk, folder);
    } finally {
      await disk.remove();
    }
  }

  test.each([1000, 100_000])(
    'a backup of files of %i bytes onto a disk that is or gets full says so in words, and leaves nothing there',
    async (bytes) => {
      fillDataDir(dataDir, bytes);
      await onDisk((disk, folder) => {
        if (bytes === 1000) disk.fill();
        const before = readdirSync(disk.path);
        const { status, stderr, stdout } = backUp(join(folder, 'deep/copy'), disk.within);
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
        expect(stderr).toMatch(/^There is no backup.*disk is full\. Make room on it, or name a folder on another disk/);
        expect(stderr).not.toMatch(/^\s+at /m);
        expect(readdirSync(disk.path)).toEqual(before);
      });
    },
  );

  test('a backup onto a read-only disk says so in words', async () => {
    fillDataDir(dataDir);
    await onDisk((disk, folder) => {
      disk.makeReadOnly();
      const { status, stderr } = backUp(join(folder, 'copy'), disk.within);
      expect(status).toBe(1);
      expect(stderr).toMatch(/disk is read-only\. Name a folder on another disk/);
    });
  });

  test('a DATA_DIR whose disk is full is backed up to another disk', async () => {
    await onDisk((disk, folder) => {
      // SQLite would follow the link to this process's own root.
      fillDataDir(dataDir);
      cpSync(dataDir, disk.path, { recursive: true });
      disk.fill();
      dataDir = folder;
      const { status, stderr } = backUp(join(base, 'copy'), disk.within);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(filesIn(join(base, 'copy'))).toContain('lookout.sqlite');
    });
  });
});

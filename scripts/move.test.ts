import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseTarget } from '#lib/server/database/open-database.ts';
import { contentOf, filled, STARTED, startOf } from '#lib/server/move/moved-databases.fixture.ts';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { root } from './docs/document.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lookout-move-'));
});
afterEach(() => rmSync(base, { recursive: true }));

function run(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  script = 'scripts/move.ts',
  within: readonly string[] = [],
) {
  const [program = '', ...command] = [
    ...within,
    process.execPath,
    '--conditions=react-server',
    join(root, script),
    ...args,
  ];
  const { status, stdout, stderr } = spawnSync(program, command, {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: join(base, 'data'),
      INIT_CWD: base,
      ...settings,
    },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const inBase = (folder = 'data'): DatabaseTarget => ({ dialect: 'sqlite', file: join(base, folder, 'lookout.sqlite') });
const urlOf = (target: DatabaseTarget, user = 'admin') =>
  target.dialect === 'postgres' ? `postgres:///${target.database}?host=${target.host}&user=${user}` : '';

test('shows its usage', () => {
  expect(run(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('--to DATABASE_URL') });
  expect(run([])).toMatchObject({ status: 1, stderr: expect.stringContaining('--to DATABASE_URL') });
  expect(run(['--too', 'x']).status).toBe(1);
});

test.each([
  ['postgres://al:hunter22@db.example/lookout', '--to has a password, which other users of this machine can read'],
  ['postgres:///lookout?host=/run/postgresql&user=al&password=hunter22', '--to has a password'],
  ['postgres://al@db.example', '--to does not name one database'],
  ['mysql://al:hunter22@db.example/lookout', '--to is no address of a PostgreSQL database'],
])('refuses --to %s, and shows no password', async (to, because) => {
  await filled(inBase());
  const { status, stdout, stderr } = run(['--to', to]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(because);
  expect(stderr).not.toContain('hunter22');
});

describePostgres('npm run move', ({ newTarget }) => {
  test('moves there and back, with a table of what was compared and what to do next', async () => {
    const several = newTarget();
    await filled(inBase());
    for (const folder of ['maps', 'receivers/past']) mkdirSync(join(base, 'data', folder), { recursive: true });
    const before = await contentOf(inBase());

    const there = run(['--to', urlOf(several)]);
    expect(there).toMatchObject({ status: 0, stderr: '' });
    expect(there.stdout).toMatch(/^view +3 {2}[0-9a-f]{16}$/m);
    expect(there.stdout).toMatch(/^ledger +1 {2}[0-9a-f]{16}$/m);
    expect(there.stdout).toContain(`DATABASE_URL='${urlOf(several)}'`);
    expect(there.stdout).toContain(`cp -r ${join(base, 'data/maps')}`);
    expect(there.stdout).toContain(`--data ${join(base, 'data/receivers')}`);
    expect(there.stdout).toContain('refuses to start on it');
    expect(await contentOf(several)).toEqual(before);
    expect(run(['--to', urlOf(several)])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('moved by an earlier run'),
    });

    const settings = { DATABASE_URL: urlOf(several) };
    const refused = run(['--to', 'data'], settings);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Not moved: .*old copy.*mv /) });
    const back = run(['--to', 'back'], settings);
    expect(back).toMatchObject({ status: 0, stderr: '' });
    expect(back.stdout).toContain(`DATA_DIR=${join(base, 'back')}`);
    expect(await contentOf(inBase('back'))).toEqual(before);
    expect(await startOf(inBase('back'))).toBe(STARTED);
  });

  test('is a command of the release too', async () => {
    const several = newTarget();
    await filled(inBase());
    expect(run(['move', '--to', urlOf(several)], {}, 'scripts/release/lookout.ts')).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await startOf(several)).toBe(STARTED);
  });

  test('lets Lookout start on the old copy again where the move is undone', async () => {
    await filled(inBase());
    expect(run(['--undo']).stdout).toContain('not marked as moved');
    expect(run(['--to', urlOf(newTarget())]).status).toBe(0);
    expect(await startOf(inBase())).toContain('npm run move -- --undo');
    expect(run(['--undo'])).toMatchObject({ status: 0, stdout: expect.stringContaining('delete that one') });
    expect(await startOf(inBase())).toBe(STARTED);
  });
});

describePostgres('npm run move with a password', (databases) => {
  test('names its options where the target refuses, and takes the password from a file', async () => {
    const cluster = databases.newCluster();
    const several = cluster.target();
    await filled(inBase());
    cluster.sql(`create role al login superuser password 'hunter22'`);
    cluster.allow('local all al scram-sha-256');
    const [right, wrong] = [join(base, 'right'), join(base, 'wrong')];
    writeFileSync(right, 'hunter22\n');
    writeFileSync(wrong, 'hunter23\n');
    const to = ['--to', urlOf(several, 'al')];
    for (const [args, words] of [
      [to, /asks for a password: write it to a file, and set --password-file/],
      [[...to, '--password-file', wrong], /refuses the password of al: correct it in --password-file/],
      [[...to, '--password-file', 'missing'], /--password-file cannot be read: .*missing/],
    ] as const) {
      const { status, stderr } = run(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain('hunter');
    }
    expect(await startOf(inBase())).toBe(STARTED);
    const { status, stdout, stderr } = run([...to, '--password-file', 'right']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('DATABASE_PASSWORD_FILE');
    expect(stdout).not.toContain('hunter22');
  });

  test.skipIf(cannotMount !== undefined)(`onto a full disk moves nothing ${cannotMount ?? ''}`, async () => {
    const several = databases.newTarget();
    await filled(several, 5000);
    // It fits into SQLite's cache, so that the commit fails, after the source was marked.
    databases.cluster.sql(`update view set query = repeat('x', 500)`, (several as { database: string }).database);
    const folder = join(base, 'disk');
    mkdirSync(folder);
    // The disk's commands are another user's.
    chmodSync(databases.cluster.folder, 0o755);
    const disk = await mountSmallDisk(folder, 1_500_000);
    try {
      const move = () => run(['--to', folder], { DATABASE_URL: urlOf(several) }, 'scripts/move.ts', disk.within);
      const { status, stderr } = move();
      expect(status).toBe(1);
      expect(stderr).toMatch(/^Not moved: The disk of .*lookout\.sqlite is full: make room on it/);
      expect(await startOf(several)).toBe(STARTED);
    } finally {
      await disk.remove();
    }
  });
});

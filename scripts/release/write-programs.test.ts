import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMovingAircraft } from '#service/receivers/moving-aircraft.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { writePrograms } from './write-programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let base: string;
let release: string;
const running: ChildProcess[] = [];

/** A release without pages, which need a build. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'lookout-programs-'));
  release = join(base, 'release');
  mkdirSync(release);
  await writePrograms(ROOT, release);
  chmodSync(base, 0o755);
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(base, { recursive: true });
});

function run(program: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}, cwd = base) {
  const { status, stdout, stderr } = spawnSync(join(release, program), args, {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...settings } as unknown as NodeJS.ProcessEnv,
    input: settings.INPUT ?? '',
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('Texts of a release name its own commands', () => {
  test.each([
    ['lookout', ['--help'], 0, './operator --help'],
    ['lookout', ['serve'], 2, 'serve is unknown.\n\n./lookout'],
    ['operator', ['--help'], 0, './operator add NAME [--role ROLE]  adds an operator'],
    ['operator', ['list'], 1, 'There is no database at '],
    ['operator', ['audit', '--since', 'x'], 1, './operator audit '],
    ['map', ['--help'], 0, './map fetch URL --around'],
    ['move', ['--help'], 0, './move --to DATABASE_URL'],
    ['doctor', ['--help'], 0, './doctor --json'],
    ['doctor', ['--no-request'], 0, '/none is not there yet: the first start makes it'],
    ['lookout', ['move', '--help'], 0, './move --to DATABASE_URL'],
    ['lookout', ['move', '--to', 'there'], 1, 'has no tables of Lookout'],
    ['service', ['--help'], 0, 'Usage: ./service serve [options]'],
    ['service', ['feeds', '--data', 'DIR'], 1, 'start one with ./service serve --data DIR --feeds FILE.'],
  ])('%s %s', (program, args, status, text) => {
    const ended = run(program, args, { DATA_DIR: join(base, 'none') });
    expect(ended).toMatchObject({ status, output: expect.stringContaining(text) });
    expect(ended.output).not.toMatch(/npm|node /);
  });

  test('an operator who exists already is changed with them', () => {
    const settings = { DATA_DIR: join(base, 'operators'), INPUT: 'quiet-harbour-lantern-82\n' };
    const add = () => run('operator', ['add', 'alice', '--password-stdin'], settings);
    expect(add()).toMatchObject({ status: 0 });
    expect(add().output).toBe(
      'alice is an operator already; change the password with ./operator password NAME, the role with ./operator role NAME ROLE.\n',
    );
  });
});

/** Owns nothing of the release. */
const OTHER_UID = 65_534;

test.skipIf(process.getuid?.() !== 0).each([
  [['lookout'], 'DATA_DIR is not set, and RELEASE cannot be written: set it to a folder for data'],
  [['operator', 'add', 'bob', '--password-stdin'], 'DATA_DIR RELEASE/data cannot be written: '],
  [['operator', 'list'], 'There is no database at RELEASE/data/lookout.sqlite: set DATA_DIR or DATABASE_URL'],
  [['service', 'serve', '--data', '/lookout-none'], '/lookout-none cannot be made or read: '],
])(
  'Without a folder for data, a user who may not write the release learns what to set: %s',
  ([program = '', ...args], text) => {
    const { status, stderr } = spawnSync(join(release, program), args, {
      uid: OTHER_UID,
      gid: OTHER_UID,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' } as unknown as NodeJS.ProcessEnv,
      input: 'quiet-harbour-lantern-82\n',
      encoding: 'utf8',
    });
    expect(stderr).toContain(text.replaceAll('RELEASE', release));
    expect(stderr).not.toMatch(/^ +at /m);
    expect(status).toBe(1);
  },
);

test.skipIf(process.getuid?.() !== 0).each([['list'], ['add', 'bob', '--password-stdin'], ['audit']])(
  'Over the data of another user, operator %s says so',
  (...args) => {
    const data = join(base, 'of-another-user');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const { stderr } = spawnSync(join(release, 'operator'), args, {
      uid: OTHER_UID,
      gid: OTHER_UID,
      env: { PATH: '/usr/bin:/bin', DATA_DIR: data } as unknown as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`DATA_DIR ${data} is another user’s: run this as the user of Lookout`);
  },
);

test('npm runs the same commands, with paths of arguments in the folder of the caller', () => {
  const npm = spawnSync('npm', ['run', 'operator', '--', 'list'], {
    cwd: release,
    env: { ...process.env, DATA_DIR: join(base, 'none') },
    encoding: 'utf8',
  });
  expect(npm.stderr).toContain(`There is no database at ${join(base, 'none')}`);
});

test('Commands work from another folder, also by a link; paths of arguments start there', () => {
  const elsewhere = join(base, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(join(release, 'service'), join(elsewhere, 'lookout-service'));
  const added = spawnSync(
    join(elsewhere, 'lookout-service'),
    ['account', 'add', 'Rega', '--allowance', '600,20000', '--data', 'DIR'],
    {
      cwd: elsewhere,
      encoding: 'utf8',
    },
  );
  expect(added.stderr).toBe('');
  expect(existsSync(join(elsewhere, 'DIR/accounts.sqlite'))).toBe(true);
});

function start(program: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const child = spawn(join(release, program), args, {
    cwd: base,
    env: { PATH: '/usr/bin:/bin', ...settings } as unknown as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

test('The service alone serves its accounts over receivers, parses long answers in its worker, and ends at SIGTERM', async () => {
  const data = join(base, 'service');
  for (const command of ['account add Rega --allowance 600,20000', 'grant approve --account Rega --scopes adsb.live'])
    expect(run('service', [...command.split(' '), '--data', data])).toMatchObject({ status: 0 });
  const made = run('service', ['key', 'create', '--account', 'Rega', '--name', 'map', '--data', data, '--json']);
  const { api_key: key } = JSON.parse(made.output);
  // Over 64 KiB, so that the worker parses it. Of these, 31 fly in the box.
  const receiver = await startMovingAircraft({ count: 1000 });
  writeFileSync(join(base, 'feeds.json'), JSON.stringify({ feeds: [{ id: 'roof', url: receiver.url }] }));
  const service = start('service', ['serve', '--port', '0', '--data', data, '--feeds', 'feeds.json']);
  try {
    const [line] = await once(createInterface(service.stdout), 'line');
    const { base_url: url } = JSON.parse(line);
    await eventually(async () => {
      const answer = await fetch(`${url}/live/adsb?bbox=7,46,19,50&limit=1000`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect((await answer.json()).data).toHaveLength(31);
    });
    expect(run('service', ['feeds', '--data', data]).output).toMatch(/^roof +receiving/m);
    service.kill('SIGTERM');
    const [code] = await once(service, 'exit');
    expect(code).toBe(0);
    await expect(once(connect(Number(new URL(url).port), '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  } finally {
    await receiver.close();
  }
});

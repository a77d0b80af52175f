import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { runCommand } from './run-command.ts';
import { endProcesses, run } from './service-process.fixture.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));

let parent: string;
let dataDir: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'run-command-'));
  dataDir = join(parent, 'data');
});
afterEach(() => {
  endProcesses();
  rmSync(parent, { recursive: true });
});

function output(line: readonly string[], now = NOW): string {
  const result = runCommand([...line, '--data', dataDir], now);
  if (!result?.ok) throw new Error(result?.problems.join('\n') ?? 'no such command');
  return result.output;
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect the output of every command.
function json(...line: readonly string[]): any {
  return JSON.parse(output([...line, '--json']));
}

function refused(line: readonly string[]): readonly (string | number)[] {
  const result = runCommand([...line, '--data', dataDir], NOW);
  if (!result || result.ok) throw new Error('it was not refused');
  return [result.exitCode, ...result.problems];
}

function withGrant(...until: readonly string[]): void {
  json('account', 'add', 'A', '--allowance', '600,20000');
  json('grant', 'approve', '--account', 'A', '--scopes', 'adsb.live,rid.history', '--lookback', '7', ...until);
}

const CREATE = ['key', 'create', '--account', 'A', '--name', 'N'];

describe('the way of an account', () => {
  test('from its e-mail address over a request to a key that is rotated and revoked', () => {
    const added = json('account', 'add', 'Rega – Einsatz', '--allowance', '600,20000', '--email', 'a@example.org');
    expect(added).toEqual({
      account: {
        name: 'Rega – Einsatz',
        created_at: '2026-11-21T12:00:00.000Z',
        allowance: { per_minute: 600, per_day: 20_000 },
        email: 'a@example.org',
        email_verified_at: null,
        grant: null,
        request: null,
      },
      email_code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
    });
    json('account', 'verify', 'rega – einsatz', '--code', added.email_code);
    const of = ['--account', 'Rega – Einsatz'];
    const asked = json('grant', 'request', ...of, '--scopes', 'rid.live', '--company', 'Rega', '--use', 'rescue');
    expect(asked.request).toMatchObject({ scopes: ['rid.live'], until: null, company: 'Rega', use: 'rescue' });
    const approved = json('grant', 'approve', ...of, '--until', '2027-01-31');
    expect(approved.grant).toMatchObject({ state: 'active', scopes: ['rid.live'], until: '2027-02-01T00:00:00.000Z' });
    const created = json('key', 'create', ...of, '--name', 'map');
    expect(created).toEqual({
      api_key: expect.stringMatching(/^lkt_\w{49}$/),
      account: 'Rega – Einsatz',
      name: 'map',
      starts_with: created.api_key.slice(0, 10),
      created_at: '2026-11-21T12:00:00.000Z',
      expires_at: '2027-02-01T00:00:00.000Z',
    });
    const rotated = json('key', 'rotate', ...of, '--name', 'map', '--overlap', '24h');
    expect(rotated.replaced).toEqual({ starts_with: created.starts_with, expires_at: '2026-11-22T12:00:00.000Z' });
    json('key', 'revoke', ...of, '--name', 'map', '--old');
    const { keys } = json('key', 'list', ...of);
    expect(keys.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'active']);
    const { entries } = json('audit', ...of);
    expect(entries.map(({ act }: { act: string }) => act).reverse()).toEqual([
      'account add',
      'account verify',
      'grant request',
      'grant approve',
      'key create',
      'key rotate',
      'key revoke',
    ]);
    const everything = readFileSync(join(dataDir, 'accounts.sqlite')).toString('latin1') + JSON.stringify(entries);
    for (const secret of [created.api_key, rotated.api_key, added.email_code]) expect(everything).not.toContain(secret);
  });

  test('without --json, for people: a table of the accounts, and the key on a line of its own', () => {
    withGrant('--until', '2026-11-27');
    const created = output(CREATE).split('\n');
    expect(created[1]?.trim()).toMatch(/^lkt_\w{49}$/);
    expect(output(['account', 'list'])).toBe(
      'account  a minute  a day  spent today  keys  access\n' +
        'A        600       20000  0            1     adsb.live,rid.history, 7 days back, until 2026-11-28T00:00:00.000Z\n',
    );
    expect(output(['key', 'list'])).toMatch(/^A {8}N .* never {6}ends in 6 days$/m);
    const later = addMs(NOW, 30 * DAY_MS);
    expect(output(['key', 'list'], later)).toContain('expired');
    expect(output(['account', 'list'], later)).toContain('ended at 2026-11-28');
    expect(output(['audit'])).toMatch(/ {2}key create {2}A {2}\{"key":"N"/);
  });

  test('a backup is a data directory of its own, and is not written over another', () => {
    withGrant();
    json(...CREATE);
    const copy = join(parent, 'copy');
    json('backup', '--to', copy);
    expect([copy, join(copy, 'accounts.sqlite')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(runCommand(['key', 'list', '--data', copy], NOW)).toEqual({
      ok: true,
      output: output(['key', 'list']),
    });
    expect(refused(['backup', '--to', copy])).toEqual([1, expect.stringContaining('is not empty')]);
  });

  test('the directory is made for its owner alone', () => {
    withGrant();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });
});

describe('what is refused', () => {
  test('all wrong arguments at once, each with what to write instead', () => {
    const line = ['key', 'create', '--account', 'a\u0007b', '--expires', '2020-01-01', '--lifetime', '3', 'extra'];
    const result = runCommand(line, NOW);
    expect(result).toEqual({
      ok: false,
      exitCode: 2,
      problems: [
        expect.stringMatching(/^--lifetime is unknown: write one of --account, --name, --expires, --data, --json$/),
        expect.stringMatching(/^3: leave it out/),
        expect.stringMatching(/^extra: leave it out/),
        expect.stringMatching(/^--data is missing: write the directory/),
        expect.stringMatching(/^"--account a\\u0007b": write a name/),
        expect.stringMatching(/^--name is missing: write a name/),
        expect.stringMatching(/^--expires 2020-01-01: write a date in the future such as 2027-02-19/),
      ],
    });
  });

  test.each([
    ['account add --allowance 1,2', 'a name is missing'],
    ['account add A', '--allowance is missing'],
    ['account add A B --allowance 1,2', 'B: leave it out'],
    ['account add A --allowance 0,2', 'write PER_MINUTE,PER_DAY'],
    ['account add A --allowance', '--allowance needs a value'],
    ['account add A --allowance 1,2 --email missing-at', 'write an e-mail address'],
    ['account set A', 'nothing to set'],
    ['account verify A', '--code is missing'],
    ['account list A', 'A: leave it out'],
    ['grant request --account A --scopes adsb.history', '--lookback is missing'],
    ['grant approve --account A --scopes adsb.past --lookback 3', 'write one or more of rid.live,adsb.live,'],
    ['grant approve --account A --scopes adsb.live --lookback 31', 'write whole days from 1 to 30'],
    ['grant approve --account A --scopes adsb.live --until 2026-11-20', 'write a date in the future'],
    ['grant approve --account A --scopes adsb.live --until tomorrow', 'write a date in the future'],
    ['grant approve --account A --scopes adsb.live --until 2027-02-30', 'write a date in the future'],
    ['key rotate --account A --name N --overlap 8d', 'at most 7d'],
    ['key rotate --account A --name N --overlap 24', 'write 0, or how long'],
    ['key revoke --account A --name N --old=yes', 'write --old alone'],
    ['key create --account A --name N --json --json', 'given twice'],
    ['audit --limit 0', 'write how many'],
  ])('%s', (line, instead) => {
    const [exitCode, ...problems] = refused(line.split(' '));
    expect(exitCode).toBe(2);
    expect(problems).toEqual([expect.stringContaining(instead)]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each(['', ' ', 'a  b', ' a', 'a ', 'a\nb', 'a\u202eb', 'a\u200bb', 'x'.repeat(65), '\ud800', '\u0301'])(
    'the name %j',
    (name) => {
      expect(refused(['account', 'add', name, '--allowance', '1,2'])).toEqual([
        2,
        expect.stringContaining('write a name of 1 to 64'),
      ]);
    },
  );

  test.each(['Zürich', 'Q&A <b>"1"</b>', "Robert'); drop table account;--", '救助隊 2', '🚁', 'x'.repeat(64)])(
    'not the name %j',
    (name) => {
      json('account', 'add', name, '--allowance', '1,2');
      const { accounts } = json('account', 'list');
      expect(accounts.map((account: { name: string }) => account.name)).toEqual([name]);
    },
  );

  test('an impossible change, with exit code 1: missing directory, account or grant, too late an end', () => {
    expect(refused(CREATE)).toEqual([1, expect.stringMatching(/There are no accounts in .*account add/)]);
    expect(existsSync(dataDir)).toBe(false);
    json('account', 'add', 'A', '--allowance', '1,2');
    expect(refused([...CREATE.slice(0, 3), 'B', '--name', 'N'])).toEqual([
      1,
      'There is no account B: account list shows all, account add makes one.',
    ]);
    expect(refused(CREATE)).toEqual([1, expect.stringContaining('grant approve comes before a key')]);
    json('grant', 'approve', '--account', 'A', '--scopes', 'adsb.live', '--until', '2026-12-01');
    expect(refused([...CREATE, '--expires', '2026-12-02'])).toEqual([1, expect.stringContaining('at most')]);
    expect(json(...CREATE, '--expires', '2026-12-01').expires_at).toBe('2026-12-02T00:00:00.000Z');
  });

  test.each([[['account']], [['account', 'make']], [['toString']], [[]], [['key', 'constructor']]])(
    '%j is no command',
    (line) => {
      expect(runCommand(line, NOW)).toBeUndefined();
    },
  );
});

describe('as processes of their own', () => {
  test('two that begin at the same moment both find the directory made, and lose nothing', async () => {
    const words = (name: string) => ['account', 'add', name, '--allowance', '1,2', '--data', dataDir];
    const results = await Promise.all(['one', 'two', 'three'].map((name) => run(words(name)).ended));
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
    const { accounts } = json('account', 'list');
    expect(accounts.map(({ name }: { name: string }) => name)).toEqual(['one', 'three', 'two']);
  });

  const smallDisk = ['unshare', '-rm', 'sh', '-c'];
  const [unshare = '', ...unshared] = smallDisk;
  const canMount = spawnSync(unshare, [...unshared, 'mount -t tmpfs tmpfs /mnt']).status === 0;

  test.skipIf(!canMount)('on a full disk no key is made, none is shown, and the accounts are whole', () => {
    const cli = `"${process.execPath}" "${fileURLToPath(new URL('../cli.ts', import.meta.url))}"`;
    const script = [
      'mount -t tmpfs -o size=200k tmpfs /mnt',
      `${cli} account add A --allowance 1,2 --data /mnt/d`,
      `${cli} grant approve --account A --scopes adsb.live --data /mnt/d`,
      'dd if=/dev/zero of=/mnt/filling bs=1k 2>/dev/null',
      `${cli} key create --account A --name N --data /mnt/d; echo "exit $?"`,
      'rm /mnt/filling',
      `${cli} key list --data /mnt/d`,
    ].join('\n');
    const { stdout, stderr } = spawnSync(unshare, [...unshared, script], { encoding: 'utf8' });
    expect(stderr).toBe('The disk of /mnt/d/accounts.sqlite is full; nothing was changed.\n');
    expect(stdout).toMatch(/\nexit 1\nThere are no keys/);
    expect(stdout).not.toContain('lkt_');
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { auditText } from '#lib/api/people/audit-text.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import type { Database } from '#lib/server/database/database.ts';
import { changeOperators, Operators, readOperators } from '#lib/server/sign-in/operators.ts';
import { passwordMatches } from '#lib/server/sign-in/passwords.ts';
import { Sessions } from '#lib/server/sign-in/sessions.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { localInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { withDatabase } from './setup/with-database.ts';

const { username } = userInfo();
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-operator-'));
  const passkey = { id: 'aWQ', public_key: 'a2V5', name: 'blue key', transports: [], added_at: '2026-11-01T00:00:00Z' };
  await inDatabase((database) =>
    changeOperators(database, () => [{ name: 'cleo', role: 'operator', passkeys: [passkey] }]),
  );
});

const inDatabase = <Result>(use: (database: Database) => Promise<Result>) =>
  withDatabase({ NODE_ENV: 'test', DATA_DIR: join(folder, 'data') }, use);

function run(command: readonly string[], environment: Readonly<Record<string, string>> = {}, input = '') {
  const script = ['--conditions=react-server', 'scripts/operator.ts', ...command];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: join(folder, 'data'),
      ...environment,
    },
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}

async function audited(): Promise<readonly string[]> {
  const entries = await inDatabase((database) => new AuditEvents(database).read({ limit: 100 }));
  return entries.toReversed().map(({ operator, address, event }) => `${operator?.id} ${address} ${auditText(event)}`);
}

test('Records changes of the command line in the audit log, with the system user and “command line”', async () => {
  expect(
    run(['add', 'dora', '--role', 'viewer', '--password-stdin'], {}, 'eleven storks by the harbour\n'),
  ).toMatchObject({
    status: 0,
    stderr: '',
  });
  const by = { operatorId: 'cleo', source: 'password', credential: 'none' } as const;
  const labels = await inDatabase(async (database) => {
    const sessions = new Sessions(database, () => localInstant(Date.now()), strictSupervisor().part('sessions'));
    for (const browser of ['one', 'two']) await sessions.open(by, { browser, address: '192.0.2.1', isKept: false });
    return (await sessions.list()).map(({ key }) => key.slice(0, 8));
  });

  for (const command of [
    ['role', 'cleo', 'admin'],
    ['remove-passkeys', 'cleo'],
    ['sign-out', 'cleo'],
  ])
    expect(run(command)).toMatchObject({ status: 0, stderr: '' });
  expect(run(['role', 'cleo', 'root'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is no role: write viewer, operator, admin'),
  });
  expect(run(['remove', 'cleo'], { SUDO_USER: 'alice' })).toMatchObject({ status: 0, stderr: '' });

  const who = `system:${username} command line`;
  expect(await audited()).toEqual([
    `${who} added dora as viewer`,
    `${who} made cleo admin`,
    `${who} removed the passkey “blue key” of cleo`,
    ...labels.map((label) => `${who} session ${label} of cleo: ended by an admin`),
    `system:alice as ${username} command line removed cleo`,
  ]);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'data/lookout.sqlite')).mode & 0o777).toBe(0o600);
});

test('Makes a change although the audit log cannot be written, and prints the missing lines', async () => {
  await inDatabase((database) =>
    sql`create trigger refuse before insert on audit_event begin select raise(abort, 'no room'); end`.execute(
      database.query,
    ),
  );
  const { status, stderr } = run(['remove', 'cleo']);
  expect(status).toBe(0);
  expect(await inDatabase((database) => readOperators(database.query))).toEqual([]);
  expect(stderr).toContain('the audit log does not say so');
  expect(stderr).toContain(`${username}, command line: removed cleo`);
});

test('Operators are listed with roles and by what they sign in', () => {
  expect(run(['add', 'dora', '--role', 'admin', '--password-stdin'], {}, 'eleven storks by the harbour\n').status).toBe(
    0,
  );
  expect(run(['list'])).toEqual({
    status: 0,
    stdout: 'cleo\toperator\tpasskeys: 1\ndora\tadmin\tpassword\n',
    stderr: '',
  });
  expect(run(['add', 'dora', '--password-stdin'], {}, 'x\n')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('dora is an operator already'),
  });
});

test.each([
  [['role', 'unknown', 'admin'], 'There is no operator unknown'],
  [['remove', 'unknown'], 'There is no operator unknown'],
  [['sign-out'], 'npm run operator -- add NAME'],
  [['list', '--role', 'admin'], '--role is for add'],
])('Refuses %j and says what to write', (command, words) => {
  expect(run(command)).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
});

test('A new password replaces the one before', async () => {
  const first = 'eleven storks by the harbour';
  const second = 'twelve herons at the lake';
  expect(run(['add', 'dora', '--password-stdin'], {}, `${first}\n`).status).toBe(0);
  expect(run(['password', 'dora', '--password-stdin'], {}, `${second}\n`)).toMatchObject({ status: 0, stderr: '' });
  const dora = (await inDatabase((database) => readOperators(database.query))).find(({ name }) => name === 'dora');
  const matches = (password: string) => passwordMatches(password, dora?.password ?? '');
  expect([await matches(first), await matches(second)]).toEqual([false, true]);
});

test('A folder without a database is named, and none is made there, except for the first operator', () => {
  const elsewhere = { DATA_DIR: join(folder, 'elsewhere') };
  expect(run(['list'], elsewhere)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`There is no database at ${join(folder, 'elsewhere/lookout.sqlite')}`),
  });
  expect(existsSync(elsewhere.DATA_DIR)).toBe(false);
  expect(run(['add', 'dora', '--password-stdin'], elsewhere, 'eleven storks by the harbour\n').status).toBe(0);
  expect(readdirSync(elsewhere.DATA_DIR)).toContain('lookout.sqlite');
});

test('Reports a wrong DATABASE_URL without its password', () => {
  const { status, stderr } = run(['list'], { DATABASE_URL: 'postgres://al:secret@db.example' });
  expect(status).toBe(1);
  expect(stderr).toContain('DATABASE_URL does not name one database');
  expect(stderr).not.toContain('secret');
});

describeDatabases('a running server', ({ dialect, newTarget, open }) => {
  test('follows the commands that add, change and remove an operator, and ends the sessions of a removed one', async () => {
    const target =
      dialect === 'sqlite' ? ({ dialect, file: join(folder, 'data/lookout.sqlite') } as const) : newTarget();
    const database = await open(target);
    const operators = await Operators.open(database, strictSupervisor().part('operators'));
    const sessions = new Sessions(database, () => localInstant(Date.now()), strictSupervisor().part('sessions'));
    const address =
      target.dialect === 'postgres' && `postgres:///${target.database}?host=${target.host}&user=${target.user}`;
    const change = (command: readonly string[], input = '') =>
      expect(run(command, address ? { DATABASE_URL: address } : {}, input)).toMatchObject({ status: 0, stderr: '' });

    change(['add', 'dora', '--password-stdin'], 'eleven storks by the harbour\n');
    await eventually(() => expect(operators.find('dora')?.role).toBe('operator'));
    const by = { operatorId: 'dora', source: 'password', credential: operators.find('dora')?.password ?? '' } as const;
    const id = await sessions.open(by, { browser: 'one', address: '192.0.2.1', isKept: false });
    change(['role', 'dora', 'viewer']);
    await eventually(() => expect(operators.find('dora')?.role).toBe('viewer'));
    expect(await sessions.find(id)).toBeDefined();
    change(['remove', 'dora']);
    await eventually(async () => expect(await sessions.find(id)).toBeUndefined());
    await eventually(() => expect(operators.find('dora')).toBeUndefined());
    await operators.close();
    await sessions.shutDown();
  });
});

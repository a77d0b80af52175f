import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { auditText } from '#lib/api/people/audit-text.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import { readOperatorsFile } from '#lib/server/session/operators-file.ts';
import { Sessions } from '#lib/server/session/sessions.ts';
import { localInstant } from '#lib/time/instant.ts';
import { withDatabase } from './setup/with-database.ts';

const { username } = userInfo();
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-operator-'));
  file = join(folder, 'operators.json');
  const passkey = { id: 'aWQ', public_key: 'a2V5', name: 'blue key', transports: [], added_at: '2026-11-01T00:00:00Z' };
  const cleo = { name: 'cleo', role: 'operator', passkeys: [passkey] };
  writeFileSync(file, JSON.stringify({ version: 2, operators: [cleo] }));
});

/** Runs `npm run operator`, as sudo would where `caller` is given. */
function run(command: readonly string[], environment: Readonly<Record<string, string>> = {}, input = '') {
  const script = ['--conditions=react-server', 'scripts/operator.ts', ...command];
  const { status, stderr } = spawnSync(process.execPath, script, {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: join(folder, 'data'),
      OPERATORS_FILE: file,
      ...environment,
    },
    encoding: 'utf8',
    input,
  });
  return { status, stderr };
}

async function audited(): Promise<readonly string[]> {
  const entries = await withDatabase({ NODE_ENV: 'test', DATA_DIR: join(folder, 'data') }, (database) =>
    new AuditEvents(database).read({ limit: 100 }),
  );
  return entries.toReversed().map(({ operator, address, event }) => `${operator?.id} ${address} ${auditText(event)}`);
}

test('What is changed at the command line is in the audit log: who the system says did it, and from there', async () => {
  expect(run(['add', 'dora', '--role', 'viewer', '--password-stdin'], {}, 'eleven storks by the harbour\n')).toEqual({
    status: 0,
    stderr: '',
  });
  const by = { operatorId: 'cleo', source: 'password', credential: 'none' } as const;
  const environment = { NODE_ENV: 'test', DATA_DIR: join(folder, 'data') } as const;
  const labels = await withDatabase(environment, async (database) => {
    const sessions = new Sessions(database, () => localInstant(Date.now()));
    for (const browser of ['one', 'two']) await sessions.open(by, { browser, address: '192.0.2.1', isKept: false });
    return (await sessions.list()).map(({ key }) => key.slice(0, 8));
  });

  for (const command of [
    ['role', 'cleo', 'admin'],
    ['remove-passkeys', 'cleo'],
    ['sign-out', 'cleo'],
  ])
    expect(run(command)).toEqual({ status: 0, stderr: '' });
  expect(run(['role', 'cleo', 'root']).status).toBe(1);
  expect(run(['remove', 'cleo'], { SUDO_USER: 'alice' })).toEqual({ status: 0, stderr: '' });

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

test('A change is made also where the audit log cannot be written and no session can be ended, and that is said', () => {
  writeFileSync(join(folder, 'data'), 'a file in place of the directory');
  const { status, stderr } = run(['remove', 'cleo']);
  expect(status).toBe(1);
  expect(readOperatorsFile(file).operators).toEqual([]);
  expect(stderr).toContain('the audit log does not say so');
  expect(stderr).toContain(`${username}, command line: removed cleo`);
  rmSync(folder, { recursive: true });
});

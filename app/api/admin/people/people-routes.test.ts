import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initialPasswordSchema } from '#lib/api/people/account.ts';
import { type AuditEntry, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import type { Runtime } from '#lib/server/runtime.ts';
import { ApiClient, passwordOf } from '#testing/api-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

const runtimeSymbol = Symbol.for('lookout.runtime');

let lookout: LookoutHere;
let admin: ApiClient;
beforeAll(async () => {
  lookout = await startLookoutHere({ operators: ['ada', 'ben', 'cleo'], roles: { ada: 'admin' }, staysInDay: true });
  admin = await ApiClient.signedIn(lookout, 'ada');
});
afterAll(() => lookout.stop());

test('An admin adds an operator, who has to choose a password first; changes their role, and removes them', async () => {
  const added = await admin.ask('POST', '/api/admin/people', { name: 'dora d.', role: 'viewer' });
  expect(added.status).toBe(201);
  const { password, until } = initialPasswordSchema.parse(added.json());
  expect(Date.parse(until)).toBeGreaterThan(Date.now());
  expect(await admin.tries('POST', '/api/admin/people', { name: 'dora d.', role: 'viewer' })).toBe('409 name_taken');
  expect(await admin.tries('POST', '/api/admin/people', { name: '<b>', role: 'viewer' })).toBe('400 bad_body');
  expect(await admin.people()).toContainEqual(
    expect.objectContaining({ name: 'dora d.', role: 'viewer', password: 'initial', sessions: [] }),
  );

  const dora = await ApiClient.signedIn(lookout, 'dora d.', password);
  const live = '/api/live?bbox=7,46,8,47';
  expect(await dora.tries('GET', live)).toBe('403 account_unfinished');
  expect(await dora.account()).toMatchObject({ needs: 'new-password' });
  const next = 'eleven storks by the harbour';
  expect(await dora.tries('PUT', '/api/account/password', { present: password, next })).toBe('200');
  expect(await dora.tries('GET', live)).toBe('200');
  expect(await dora.tries('GET', '/api/admin/people')).toBe('403 not_permitted');

  const path = `/api/admin/people/${encodeURIComponent('dora d.')}`;
  expect(await admin.tries('PATCH', path, { role: 'admin' })).toBe('204');
  expect(await dora.tries('GET', '/api/admin/people')).toBe('200');
  const reset = initialPasswordSchema.parse((await admin.ask('POST', `${path}/password`)).json());
  expect(await dora.tries('GET', '/api/session')).toBe('401 not_signed_in');
  const again = await ApiClient.signedIn(lookout, 'dora d.', reset.password);
  const session = (await admin.people()).find(({ name }) => name === 'dora d.')?.sessions[0];
  expect(await admin.tries('DELETE', `/api/admin/sessions/${session?.id}`)).toBe('204');
  expect(await again.tries('GET', '/api/session')).toBe('401 not_signed_in');
  const last = await ApiClient.signedIn(lookout, 'dora d.', reset.password);
  expect(await admin.tries('DELETE', `${path}/sessions`)).toBe('200');
  expect(await last.tries('GET', '/api/session')).toBe('401 not_signed_in');
  expect(await admin.tries('DELETE', path)).toBe('204');
  expect(await new ApiClient(lookout).signIn('dora d.', reset.password)).toBe('401 sign_in_refused');
  expect(await admin.tries('DELETE', path)).toBe('404 not_found');
});

test('A new password and the removal of all passkeys are one change, of another operator only', async () => {
  const { sessions } = (globalThis as { [runtimeSymbol]?: Runtime })[runtimeSymbol] as Runtime;
  const passkey = {
    id: 'a2V5',
    public_key: 'cHVibGlj',
    name: 'Desk key',
    transports: [],
    added_at: '2026-11-01T00:00:00Z',
  };
  const passkeys = [passkey, { ...passkey, id: 'b3RoZXI', name: 'Phone' }];
  await sessions?.accounts.change('ben', (entry) => ({ ...entry, passkeys }));
  const left = async () => (await admin.people()).find(({ name }) => name === 'ben')?.passkeys;
  const ben = await ApiClient.signedIn(lookout, 'ben');
  const path = '/api/admin/people/ben/password';
  expect(await admin.tries('POST', path, { remove_passkeys: 'yes' })).toBe('400 bad_body');
  expect(await admin.tries('POST', '/api/admin/people/zoe/password', { remove_passkeys: true })).toBe('404 not_found');
  expect(await admin.tries('POST', '/api/admin/people/ada/password', { remove_passkeys: true })).toBe(
    '409 not_possible',
  );
  expect(await admin.tries('POST', path)).toBe('200');
  expect(await left(), 'a password alone keeps them').toBe(2);
  expect(await ben.tries('GET', '/api/session')).toBe('401 not_signed_in');

  const { password } = initialPasswordSchema.parse((await admin.ask('POST', path, { remove_passkeys: true })).json());
  expect(await left()).toBe(0);
  expect((await ApiClient.signedIn(lookout, 'ben', password)).cookie).not.toBe('');
  const { entries } = (await admin.ask('GET', '/api/admin/audit?kind=passkey_removed')).json();
  const removed = entries.map((entry: unknown) => auditEntrySchema.parse(entry).event);
  expect(removed).toEqual(
    ['Phone', 'Desk key'].map((name) => ({ kind: 'passkey_removed', person: 'ben', passkey: name })),
  );
});

test('An admin sees who alone has caused which requests', async () => {
  const cleo = await ApiClient.signedIn(lookout, 'cleo');
  const spentBy = async (name: string) => (await admin.people()).find((person) => person.name === name)?.spent_today;
  expect(await spentBy('cleo')).toEqual({ past: 0, first_views: 0 });
  const end = Math.floor(Date.now() / 60_000 - 2) * 60_000;
  const [from, to] = [end - 60_000, end].map((ms) => new Date(ms).toISOString());
  await cleo.ask('GET', `/api/history?bbox=7,46,8,47&layers=adsb&start=${from}&end=${to}`);
  const requests = lookout.service.requests().filter(({ operation }) => operation.startsWith('history')).length;
  expect(requests).toBeGreaterThan(0);
  expect(await spentBy('cleo')).toEqual({ past: requests, first_views: 0 });
  await cleo.ask('GET', '/api/live?bbox=20,50,21,51&layers=adsb');
  await expect.poll(async () => (await spentBy('cleo'))?.first_views).toBeGreaterThan(0);
  expect(await spentBy('ada')).toEqual({ past: 0, first_views: 0 });
});

test('The last admin can neither be removed nor made less', async () => {
  expect(await admin.tries('DELETE', '/api/admin/people/ada')).toBe('409 not_possible');
  expect(await admin.tries('PATCH', '/api/admin/people/ada', { role: 'viewer' })).toBe('409 not_possible');
  expect(await admin.tries('GET', '/api/admin/people')).toBe('200');
});

/** Lookout answers in this process, the command runs in its own. */
function run(...command: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { NODE_ENV: 'production' as const, PATH, NODE_COMPILE_CACHE, DATA_DIR: lookout.dataDir };
  return new Promise((resolve) => {
    const script = ['--conditions=react-server', 'scripts/operator.ts', ...command];
    const child = execFile(process.execPath, script, { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test('npm run operator changes people and ends sessions while Lookout runs', async () => {
  const cleo = await ApiClient.signedIn(lookout, 'cleo');
  const isRefused = () => expect.poll(() => cleo.tries('GET', '/api/session')).toBe('401 not_signed_in');

  expect((await run('list')).stdout).toContain('ada\tadmin\tpassword\n');
  expect((await run('role', 'cleo', 'admin')).stdout).toBe('cleo is admin now.\n');
  await expect.poll(() => cleo.tries('GET', '/api/admin/people')).toBe('200');
  expect(await run('sign-out', 'cleo')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ended: [1-9]/) });
  await isRefused();
  expect(await cleo.signIn('cleo', passwordOf(lookout, 'cleo'))).toBe('204');
  expect(await run('remove', 'cleo')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ended: 1/) });
  await isRefused();

  const audit = (await admin.ask('GET', '/api/admin/audit?operator=cleo')).json();
  const entries: readonly AuditEntry[] = audit.entries.map((entry: unknown) => auditEntrySchema.parse(entry));
  const changes = entries.filter(({ address }) => address === 'command line').map(({ event }) => event.kind);
  expect(new Set(changes)).toEqual(new Set(['session_ended', 'person_removed', 'role_changed']));
});

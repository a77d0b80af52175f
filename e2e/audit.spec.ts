import { readdirSync, readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cookieOf, expectRefusal } from './driver/api-answers.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { expect, test } from './lookout-test.ts';
import { auditEntries } from './running/audit-entries.ts';
import type { OperatorAccount } from './running/operators.ts';

test('The audit has sign-ins and refusals with their addresses, loads with their cost, changes and sign-outs', async ({
  playwright,
  request,
  startOwn,
}) => {
  const lookout = await startOwn({
    operators: ['anna', 'chief'],
    roles: { chief: 'admin' },
    settings: { LOG_LEVEL: 'debug' },
  });
  const { url, service } = lookout;
  const [account, admin] = lookout.operators;
  if (!account || !admin) throw new Error('no operator');
  const origin = { origin: url };
  const signIn = (name: string, password: string) =>
    request.post(`${url}/api/session`, { data: { name, password }, headers: origin });
  const typedAsName = 'correct horse battery staple';
  expect((await signIn('anna', 'not the password at all')).status()).toBe(401);
  expect((await signIn(typedAsName, account.password)).status()).toBe(401);
  const cookie = await cookieOf(request, lookout, account);
  const headers = { ...origin, cookie };

  const { start, end } = pastWindow(2);
  const query = `bbox=8.1234,46.9876,8.2345,47.0987&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
  const load = { headers: { ...headers, 'x-request-id': 'from-a-proxy-0001' } };
  const loaded = await request.get(`${url}/api/history?${query}`, load);
  expect(loaded.headers()['x-request-id']).toBe('from-a-proxy-0001');
  await loaded.body();
  const forged = { headers: { ...headers, 'x-request-id': 'forged {"level":60}' } };
  expect((await request.get(`${url}/api/session`, forged)).headers()['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  const spent = (await service.requests()).length;
  expect(spent).toBeGreaterThan(0);
  await (await request.get(`${url}/api/export?format=csv&${query}`, { headers })).body();

  const live = { headers: { ...headers, 'x-request-id': 'from-a-proxy-0002' } };
  expect((await request.get(`${url}/api/live?bbox=8.1234,46.9876,8.2345,47.0987&layers=adsb`, live)).status()).toBe(
    200,
  );

  const view = { name: 'Gate', query: '?view=47,8,9' };
  expect((await request.post(`${url}/api/views`, { headers, data: view })).status()).toBe(201);

  await test.step('A load that its reader leaves is kept too', async () => {
    await service.breakWith({ kind: 'silent' });
    const left = plainRequest(`${url}/api/history?${query.replace('bbox=8', 'bbox=7')}`, { headers: { cookie } });
    left.once('error', () => undefined);
    left.once('response', (answer) => answer.once('data', () => left.destroy()).once('error', () => undefined));
    left.end();
    await expect.poll(async () => (await auditEntries(lookout)).at(-1)?.event).toMatchObject({ outcome: 'left' });
    await service.mend();
  });
  expect((await request.delete(`${url}/api/session`, { headers })).status()).toBe(204);

  const entries = await auditEntries(lookout);
  const anna = { id: 'anna', name: 'anna' };
  const area = { layers: ['adsb'], start: iso(start), end: iso(end) };
  const past = { kind: 'past_loaded', ...area, bbox: [8.12, 46.98, 8.24, 47.1] };
  const session = expect.stringMatching(/^[\w-]{8}$/);
  expect(entries.map(({ operator, event }) => [operator, event])).toEqual([
    [null, { kind: 'sign_in_refused', method: 'password', person: 'anna', reason: 'not_accepted' }],
    [null, { kind: 'sign_in_refused', method: 'password', person: null, reason: 'not_accepted' }],
    [anna, { kind: 'signed_in', method: 'password', session }],
    [anna, { ...past, requests: spent, outcome: 'complete', format: null }],
    [anna, { ...past, requests: 0, outcome: 'complete', format: 'csv' }],
    [anna, { kind: 'view_added', view: 'Gate', shared: false }],
    [anna, { ...past, bbox: [7.12, 46.98, 8.24, 47.1], requests: 0, outcome: 'left', format: null }],
    [anna, { kind: 'session_ended', person: 'anna', session, how: 'signed_out' }],
  ]);
  const sessions = entries.flatMap(({ event }) => ('session' in event ? [event.session] : []));
  expect(new Set(sessions).size).toBe(1);
  expect(entries[3]?.request_id).toBe('from-a-proxy-0001');
  for (const { address, request_id, at, last, times } of entries) {
    expect([address, last, times]).toEqual(['127.0.0.1', at, 1]);
    expect(request_id).toMatch(/^[\w-]{17,36}$/);
  }
  expect(await auditEntries(lookout, ['--operator', 'nobody'])).toEqual([]);
  expect(await auditEntries(lookout, ['--operator', 'anna', '--since', '1h'])).toHaveLength(7);

  await test.step('Only admins can read it, in pages, and filter it by person, kind and time', async () => {
    const bare = await playwright.request.newContext();
    const read = (query: string, cookie: string) => bare.get(`${url}/api/admin/audit${query}`, { headers: { cookie } });
    const cookieIn = async (who: OperatorAccount) => {
      const browser = await playwright.request.newContext();
      const own = await cookieOf(browser, lookout, who);
      await browser.dispose();
      return own;
    };
    await expectRefusal(await read('', await cookieIn(account)), 403, 'not_permitted');
    await expectRefusal(await read('', ''), 401, 'not_signed_in');
    const chief = await cookieIn(admin);
    const answer = await (await read('', chief)).json();
    expect(answer.next).toBeNull();
    expect(answer.entries.slice(2)).toEqual(entries.toReversed());
    const views = await (await read('?kind=view_added&operator=anna&since=2026-01-01T00:00:00Z', chief)).json();
    expect(views.entries).toHaveLength(1);
    const older = await (await read(`?before=${entries[1]?.id}`, chief)).json();
    expect(older.entries).toEqual([entries[0]]);
    for (const wrong of ['?kind=none', '?before=0', '?since=yesterday', '?limit=1', '?operator='])
      await expectRefusal(await read(wrong, chief), 400, 'bad_query');
    await bare.dispose();
  });

  const sealed = decodeURIComponent(cookie.split('=')[1] ?? '');
  const secrets = [account.password, 'not the password', typedAsName, sealed, service.apiKey];
  const files = readdirSync(lookout.dataDir).filter((name) => name.startsWith('lookout.sqlite'));
  const stored = files.map((name) => readFileSync(join(lookout.dataDir, name), 'latin1')).join();
  expect(stored).toContain('Gate');
  for (const secret of secrets) expect(stored).not.toContain(secret);
  const database = new DatabaseSync(join(lookout.dataDir, 'lookout.sqlite'), { readOnly: true });
  const audit = JSON.stringify(database.prepare('select * from audit_event').all());
  database.close();
  expect(audit).toContain('Gate');
  for (const secret of [...secrets, '8.1234', view.query]) expect(audit).not.toContain(secret);

  await test.step('The log is lines of JSON: a request is followed from its sender to the upstream, without a place or a secret', () => {
    const log = lookout.app.stderr();
    const lines = log.trim().split('\n');
    const followed = lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === 'from-a-proxy-0001');
    const upstream = followed.filter(({ msg }) => msg === 'upstream answered');
    expect(upstream).toHaveLength(spent);
    for (const line of upstream) {
      expect(line).toMatchObject({ operator: 'anna', purpose: 'history', status: 200 });
      expect(line.upstream_request_id).toMatch(/\S/);
    }
    const answered = { operator: 'anna', method: 'GET', path: '/api/history', status: 200 };
    expect(followed.find(({ msg }) => msg === 'answered')).toMatchObject(answered);
    expect(followed.find(({ event }) => event === 'past_loaded')).toMatchObject({
      operator: 'anna',
      address: '127.0.0.1',
    });
    const parsed = lines.map((line) => JSON.parse(line));
    const [watched] = parsed.filter((line) => line.request_id === 'from-a-proxy-0002');
    expect(watched).toMatchObject({ operator: 'anna', path: '/api/live', areas: [expect.any(Number)] });
    const refreshes = parsed.filter(({ msg, area }) => msg === 'upstream answered' && area === watched.areas[0]);
    expect(refreshes[0]).toMatchObject({ refresh: 1, purpose: 'first-view', operator: 'anna' });
    expect(refreshes[0].upstream_request_id).toMatch(/\S/);
    const sent = parsed.flatMap(({ outgoing_id }) => outgoing_id ?? []);
    expect(sent.length).toBeGreaterThan(spent);
    expect(new Set(sent).size).toBe(sent.length);
    // A latitude of 46.98 reads like seconds.
    const withoutTimes = log.replaceAll(/\d\d:\d\d\.\d{3}Z/g, '');
    for (const secret of [...secrets, 'bbox', '46.98', '47.09', '"lat"', '"lon"'])
      expect(withoutTimes).not.toContain(secret);
  });
});

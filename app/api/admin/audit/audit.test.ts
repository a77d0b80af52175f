import { readdirSync, readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditEntry, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { localInstant } from '#lib/time/instant.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { iso, pastWindow } from '#testing/past-window.ts';
import { printAudit } from '../../../../scripts/setup/print-audit.ts';

const TYPED_AS_NAME = 'correct horse battery staple';
const VIEW = { name: 'Gate', query: '?view=47,8,9' };

describe('What operators and callers did', () => {
  const { start, end } = pastWindow(2);
  const query = `bbox=8.1234,46.9876,8.2345,47.0987&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
  let lookout: LookoutHere;
  let cookie: string;
  let chief: string;
  let spent: number;
  /** The oldest entry is first. */
  let entries: readonly AuditEntry[];

  const read = (more: string, as: string) =>
    ask(`${lookout.url}/api/admin/audit${more}`, { headers: as === '' ? {} : { cookie: as } });
  /** The entries that the command prints. */
  const printed = async (options: readonly string[] = []) => {
    const lines: string[] = [];
    const settings = { NODE_ENV: 'test' as const, DATA_DIR: lookout.dataDir };
    await printAudit(['--json', ...options], settings, (line) => void lines.push(line), localInstant(Date.now()));
    return lines.map((line) => auditEntrySchema.parse(JSON.parse(line))).toReversed();
  };
  const secrets = () => [
    ...[lookout.operator('anna').password, 'not the password', TYPED_AS_NAME],
    ...[decodeURIComponent(cookie.split('=')[1] ?? ''), lookout.service.apiKey],
  ];

  beforeAll(async () => {
    lookout = await startLookoutHere({
      operators: ['anna', 'chief'],
      roles: { chief: 'admin' },
      settings: { LOG_LEVEL: 'debug' },
    });
    const { url, service } = lookout;
    const origin = { origin: url };
    const signIn = (name: string, password: string) =>
      ask(`${url}/api/session`, { method: 'POST', headers: origin, body: { name, password } });
    expect((await signIn('anna', 'not the password at all')).status).toBe(401);
    expect((await signIn(TYPED_AS_NAME, lookout.operator('anna').password)).status).toBe(401);
    cookie = await lookout.signIn('anna');
    const headers = { ...origin, cookie };

    const load = { headers: { ...headers, 'x-request-id': 'from-a-proxy-0001' } };
    expect((await ask(`${url}/api/history?${query}`, load)).headers['x-request-id']).toBe('from-a-proxy-0001');
    const forged = { headers: { ...headers, 'x-request-id': 'forged {"level":60}' } };
    expect((await ask(`${url}/api/session`, forged)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    spent = service.requests().length;
    expect(spent).toBeGreaterThan(0);
    await ask(`${url}/api/export?format=csv&${query}`, { headers });

    const live = { headers: { ...headers, 'x-request-id': 'from-a-proxy-0002' } };
    expect((await ask(`${url}/api/live?bbox=8.1234,46.9876,8.2345,47.0987&layers=adsb`, live)).status).toBe(200);
    expect((await ask(`${url}/api/views`, { method: 'POST', headers, body: VIEW })).status).toBe(201);

    service.breakWith({ kind: 'silent' });
    const left = plainRequest(`${url}/api/history?${query.replace('bbox=8', 'bbox=7')}`, { headers: { cookie } });
    left.once('error', () => undefined);
    left.once('response', (answer) => answer.once('data', () => left.destroy()).once('error', () => undefined));
    left.end();
    await eventually(() => expect(lookout.log().match(/"event":"past_loaded"/g)).toHaveLength(3));
    service.mend();
    expect((await ask(`${url}/api/session`, { method: 'DELETE', headers })).status).toBe(204);
    entries = await printed();
    chief = await lookout.signIn('chief');
  });
  afterAll(() => lookout.stop());

  test('The audit has sign-ins and refusals with their addresses, loads with their cost, changes and sign-outs', () => {
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
      // A load that its reader leaves is kept too.
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
  });

  test('The command of operators filters it by person and time', async () => {
    expect(await printed(['--operator', 'nobody'])).toEqual([]);
    const ofAnna = entries.filter(({ operator, event }) => operator !== null || ('person' in event && event.person));
    expect(ofAnna).toHaveLength(7);
    expect(await printed(['--operator', 'anna', '--since', '1h'])).toEqual(ofAnna);
  });

  test('Only admins can read it, in pages, and filter it by person, kind and time', async () => {
    const answer = (await read('', chief)).json();
    expect(answer.next).toBeNull();
    // The chief's sign-in is the newest.
    expect(answer.entries.slice(1)).toEqual(entries.toReversed());
    expectRefusal(await read('', await lookout.signIn('anna')), 403, 'not_permitted');
    expectRefusal(await read('', ''), 401, 'not_signed_in');
    const found = async (filter: string) => (await read(filter, chief)).json().entries;
    expect(await found('?kind=view_added&operator=anna&since=2026-01-01T00:00:00Z')).toHaveLength(1);
    expect(await found(`?before=${entries[1]?.id}`)).toEqual([entries[0]]);
    for (const wrong of ['?kind=none', '?before=0', '?since=yesterday', '?limit=1', '?operator='])
      expectRefusal(await read(wrong, chief), 400, 'bad_query');
  });

  test('Neither the audit nor the database has a secret, and the audit has no place more exact than it says', () => {
    const files = readdirSync(lookout.dataDir).filter((name) => name.startsWith('lookout.sqlite'));
    const stored = files.map((name) => readFileSync(join(lookout.dataDir, name), 'latin1')).join();
    expect(stored).toContain('Gate');
    for (const secret of secrets()) expect(stored).not.toContain(secret);
    const database = new DatabaseSync(join(lookout.dataDir, 'lookout.sqlite'), { readOnly: true });
    const audit = JSON.stringify(database.prepare('select * from audit_event').all());
    database.close();
    expect(audit).toContain('Gate');
    for (const secret of [...secrets(), '8.1234', VIEW.query]) expect(audit).not.toContain(secret);
  });

  test('The log is lines of JSON: a request is followed from its sender to the upstream, without a place or a secret', () => {
    const log = lookout.log();
    const parsed = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const followed = parsed.filter((line) => line.request_id === 'from-a-proxy-0001');
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
    for (const secret of [...secrets(), 'bbox', '46.98', '47.09', '"lat"', '"lon"'])
      expect(withoutTimes).not.toContain(secret);
  });
});

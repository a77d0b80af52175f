import { sealData } from 'iron-session';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { type SavedView, savedViewsSchema } from '#lib/api/saved-view.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import { AuditLog } from '#lib/server/audit/audit-log.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import type { Runtime } from '#lib/server/runtime.ts';
import { Sessions } from '#lib/server/sign-in/sessions.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { SavedViews } from '#lib/server/views/saved-views.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DELETE, PATCH } from './[id]/route.ts';
import { GET, POST } from './route.ts';
import { PUT } from './start/route.ts';

const HOST = 'lookout.example';
const SECRET = 'a secret that is long enough to seal a cookie with';
const ORIGIN = { browser: 'Firefox on Linux', address: '192.0.2.1', isKept: false };
const signedInBy = (operatorId: string) => ({ source: 'password', operatorId, credential: PASSWORD_HASH }) as const;
const PASSWORD_HASH = 'the same for all operators of this test';

const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };
let views: SavedViews;
let audit: AuditLog;
const cookies = new Map<string, string>();
let registry: Sessions;

beforeAll(async () => {
  registry = new Sessions(await memoryDatabase(), () => localInstant(0), strictSupervisor().part('sessions'));
  for (const name of ['al', 'bea']) {
    const sealed = await sealData({ id: await registry.open(signedInBy(name), ORIGIN) }, { password: SECRET });
    cookies.set(name, `__Host-lookout=${sealed}`);
  }
  const operators = { find: () => ({ role: 'operator', password: PASSWORD_HASH, passkeys: [] }) };
  holder[runtimeSymbol] = {
    log: pino({ level: 'silent' }),
    config: { tls: true, publicOrigin: undefined, mapStyle: undefined },
    sessions: { operators, registry, secret: SECRET, openedCookies: new Map() },
    get views() {
      return views;
    },
    get audit() {
      return audit;
    },
  } as unknown as Runtime;
});
afterAll(() => {
  delete holder[runtimeSymbol];
});
beforeEach(async () => {
  const database = await memoryDatabase();
  views = new SavedViews(database);
  audit = new AuditLog({
    part: strictSupervisor().part('audit'),
    events: new AuditEvents(database),
    days: 1,
    now: () => localInstant(0),
  });
});

const sameSite = { 'sec-fetch-site': 'same-origin' };

function request(method: string, path: string, operator: string | undefined, body?: unknown, site: object = sameSite) {
  const headers = new Headers({ host: HOST, 'content-type': 'application/json', ...site });
  if (operator !== undefined) headers.set('cookie', cookies.get(operator) ?? '');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request(`https://${HOST}${path}`, { method, headers, ...(body === undefined ? {} : { body: text }) });
}

const gate = { name: 'North gate', query: '?view=47,8,9' };
const add = async (operator: string, view: object = gate) =>
  (await (await POST(request('POST', '/api/views', operator, view))).json()) as SavedView;
const list = async (operator: string) =>
  savedViewsSchema.parse(await (await GET(request('GET', '/api/views', operator))).json());
const change = (operator: string | undefined, id: string, body: unknown, site?: object) =>
  PATCH(request('PATCH', `/api/views/${id}`, operator, body, site));

async function refused(answer: Response): Promise<[number, string]> {
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return [answer.status, errorAnswerSchema.parse(await answer.json()).error.code];
}

describe('/api/views', () => {
  test('saves, lists, renames, shares, starts at and deletes a view', async () => {
    const created = await POST(request('POST', '/api/views', 'al', { name: ' North  gate ', query: 'view=47.0,8,9' }));
    expect(created.status).toBe(201);
    const view = (await created.json()) as SavedView;
    expect(view).toMatchObject({ ...gate, shared: false, mine: true, owner: 'al' });
    expect((await list('bea')).views).toEqual([]);
    expect((await change('al', view.id, { name: 'Gate', shared: true })).status).toBe(200);
    expect((await list('bea')).views).toMatchObject([{ name: 'Gate', mine: false, owner: 'al' }]);
    expect((await PUT(request('PUT', '/api/views/start', 'bea', { id: view.id }))).status).toBe(204);
    expect((await list('bea')).start).toBe(view.id);
    expect((await list('al')).start).toBeNull();
    expect((await DELETE(request('DELETE', `/api/views/${view.id}`, 'al'))).status).toBe(204);
    expect(await list('bea')).toEqual({ views: [], start: null });
  });

  test('a session that cannot be confirmed reads, and does nothing else', async () => {
    const find = registry.find.bind(registry);
    registry.find = async (id) => {
      const session = await find(id);
      return session && { ...session, isConfirmed: false };
    };
    try {
      expect(await list('al')).toEqual({ views: [], start: null });
      const answer = await POST(request('POST', '/api/views', 'al', gate));
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await refused(answer)).toEqual([503, 'database_lost']);
      expect((await views.list('al')).views).toEqual([]);
    } finally {
      registry.find = find;
    }
  });

  test('writes saves, changes, deletions and start views to the audit log, but no refused ones', async () => {
    const { id } = await add('al');
    await change('al', id, { name: 'Gate', shared: true });
    await change('bea', id, { name: 'Mine' });
    await PUT(request('PUT', '/api/views/start', 'bea', { id }));
    await PUT(request('PUT', '/api/views/start', 'bea', { id: null }));
    await DELETE(request('DELETE', `/api/views/${id}`, 'al'));
    const entries = (await audit.read({ limit: 10 })).toReversed();
    expect(entries.map(({ operator, event }) => `${operator?.name} ${auditText(event)}`)).toEqual([
      'al saved the view “North gate”',
      'al changed the view “Gate”, shared',
      'bea set the view “Gate” to start at',
      'bea set no view to start at',
      'al deleted the view “Gate”',
    ]);
  });

  test('requires a sign-in', async () => {
    const { id } = await add('al');
    const answers = [
      await GET(request('GET', '/api/views', undefined)),
      await POST(request('POST', '/api/views', undefined, gate)),
      await change(undefined, id, { name: 'x' }),
      await DELETE(request('DELETE', `/api/views/${id}`, undefined)),
      await PUT(request('PUT', '/api/views/start', undefined, { id })),
    ];
    for (const answer of answers) expect(await refused(answer)).toEqual([401, 'not_signed_in']);
    expect((await list('al')).views).toHaveLength(1);
  });

  test('another operator neither changes a shared view nor learns of one that is not', async () => {
    const shared = await add('al', { ...gate, shared: true });
    const secret = await add('al', { ...gate, name: 'Secret' });
    expect(await refused(await change('bea', shared.id, { name: 'Mine' }))).toEqual([403, 'not_owner']);
    expect(await refused(await DELETE(request('DELETE', `/api/views/${shared.id}`, 'bea')))).toEqual([
      403,
      'not_owner',
    ]);
    const attempts = [
      await change('bea', secret.id, { name: 'Mine' }),
      await DELETE(request('DELETE', `/api/views/${secret.id}`, 'bea')),
      await PUT(request('PUT', '/api/views/start', 'bea', { id: secret.id })),
      await change('bea', 'no-such-id', { name: 'Mine' }),
    ];
    for (const answer of attempts) expect(await refused(answer)).toEqual([404, 'not_found']);
  });

  test('a request from another site changes nothing', async () => {
    const { id } = await add('al');
    const forged = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}];
    for (const site of forged) {
      const answers = [
        await POST(request('POST', '/api/views', 'al', { ...gate, name: 'Forged' }, site)),
        await change('al', id, { shared: true }, site),
        await DELETE(request('DELETE', `/api/views/${id}`, 'al', undefined, site)),
        await PUT(request('PUT', '/api/views/start', 'al', { id }, site)),
      ];
      for (const answer of answers) expect(await refused(answer)).toEqual([403, 'cross_site']);
    }
    expect((await list('al')).views).toMatchObject([{ id, name: gate.name, shared: false }]);
  });

  test.each([
    ['not JSON', '{'],
    ['no object', '7'],
    ['without a name', { query: gate.query }],
    ['with an empty name', { ...gate, name: ' ' }],
    ['with a name on two lines', { ...gate, name: 'a\nb' }],
    ['with an address', { ...gate, query: 'https://evil.example/?view=47,8,9' }],
    ['with a script', { ...gate, query: 'javascript:alert(1)' }],
    ['with a place that is none', { ...gate, query: '?view=470,8,9' }],
    ['with a text that is no choice', { ...gate, shared: 'yes' }],
    ['of another operator', { ...gate, owner: 'bea' }],
    ['with a prototype', '{"name":"x","query":"?view=47,8,9","__proto__":{"shared":true}}'],
  ])('a view %s is refused', async (_, body) => {
    expect(await refused(await POST(request('POST', '/api/views', 'al', body)))).toEqual([400, 'bad_body']);
    expect((await list('al')).views).toEqual([]);
  });

  test('refuses a taken name, a body that is too large, and a start that is no id', async () => {
    await add('al');
    expect(await refused(await POST(request('POST', '/api/views', 'al', gate)))).toEqual([409, 'name_taken']);
    const large = { ...gate, name: 'x'.repeat(10_000) };
    expect(await refused(await POST(request('POST', '/api/views', 'al', large)))).toEqual([413, 'too_large']);
    expect(await refused(await PUT(request('PUT', '/api/views/start', 'al', { id: '../1' })))).toEqual([
      400,
      'bad_body',
    ]);
  });
});

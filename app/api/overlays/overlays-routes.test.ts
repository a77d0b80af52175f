import { deflateRawSync } from 'node:zlib';
import { sealData } from 'iron-session';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { OVERLAY_PACKED_MAX_LENGTH, type Overlay, overlaysSchema } from '#lib/api/overlay.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import type { Runtime } from '#lib/server/runtime.ts';
import { Sessions } from '#lib/server/sign-in/sessions.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { Overlays } from '#lib/server/views/overlays.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DELETE, GET as GET_ONE } from './[id]/route.ts';
import { GET, POST } from './route.ts';

const HOST = 'lookout.example';
const SECRET = 'a secret that is long enough to seal a cookie with';
const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };
const cookies = new Map<string, string>();
let overlays: Overlays;
let recorded: AuditEvent[];

beforeAll(async () => {
  const registry = new Sessions(await memoryDatabase(), () => localInstant(0), strictSupervisor().part('sessions'));
  for (const operatorId of ['al', 'bea']) {
    const by = { source: 'password', operatorId, credential: 'hash' } as const;
    const id = await registry.open(by, { browser: 'curl', address: '192.0.2.1', isKept: false });
    cookies.set(operatorId, `__Host-lookout=${await sealData({ id }, { password: SECRET })}`);
  }
  holder[runtimeSymbol] = {
    log: pino({ level: 'silent' }),
    config: { tls: true, publicOrigin: undefined, mapStyle: undefined },
    sessions: {
      operators: { find: () => ({ role: 'viewer', password: 'hash', passkeys: [] }) },
      registry,
      secret: SECRET,
      openedCookies: new Map(),
    },
    get overlays() {
      return overlays;
    },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  } as unknown as Runtime;
});
afterAll(() => {
  delete holder[runtimeSymbol];
});
beforeEach(async () => {
  overlays = new Overlays(await memoryDatabase());
  recorded = [];
});

function request(method: string, path: string, operator: string | undefined, body?: unknown, site = 'same-origin') {
  const headers = new Headers({ host: HOST, 'content-type': 'application/json', 'sec-fetch-site': site });
  if (operator !== undefined) headers.set('cookie', cookies.get(operator) ?? '');
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return new Request(`https://${HOST}${path}`, { method, headers, ...json });
}

const content = {
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'Gate' }, geometry: { type: 'Point', coordinates: [8.5, 47.4] } }],
};
const zone = { name: 'Zone', packed: deflateRawSync(JSON.stringify(content)).toString('base64') };
const add = (operator: string | undefined, body: unknown = zone, site?: string) =>
  POST(request('POST', '/api/overlays', operator, body, site));
const added = async (operator: string, body: unknown) => (await (await add(operator, body)).json()) as Overlay;
const list = async (operator: string) =>
  overlaysSchema.parse(await (await GET(request('GET', '/api/overlays', operator))).json()).overlays;
const one = (operator: string | undefined, id: string) => GET_ONE(request('GET', `/api/overlays/${id}`, operator));
const remove = (operator: string | undefined, id: string, site?: string) =>
  DELETE(request('DELETE', `/api/overlays/${id}`, operator, undefined, site));

async function refused(answer: Response): Promise<[number, string]> {
  return [answer.status, errorAnswerSchema.parse(await answer.json()).error.code];
}

describe('/api/overlays', () => {
  test('adds, lists, sends and removes an overlay, and records who did it', async () => {
    const answer = await add('al', { ...zone, name: ' My  zone ', shared: true });
    expect(answer.status).toBe(201);
    const { id, ...overlay } = (await answer.json()) as Overlay;
    expect(overlay).toEqual({ name: 'My zone', shared: true, mine: true, owner: 'al' });
    expect(await list('bea')).toMatchObject([{ id, mine: false }]);
    expect(await (await one('bea', id)).json()).toEqual(content);
    expect((await remove('al', id)).status).toBe(204);
    expect(await list('al')).toEqual([]);
    expect(recorded).toEqual([
      { kind: 'overlay_added', overlay: 'My zone', shared: true },
      { kind: 'overlay_removed', overlay: 'My zone' },
    ]);
  });

  test('shows and gives one operator’s overlays to no other, unless they are shared', async () => {
    const own = await added('al', zone);
    const shared = await added('al', { ...zone, name: 'Shared', shared: true });
    expect((await list('bea')).map(({ id }) => id)).toEqual([shared.id]);
    for (const answer of [await one('bea', own.id), await remove('bea', own.id), await one('bea', '../views')])
      expect(await refused(answer)).toEqual([404, 'not_found']);
    expect(await refused(await remove('bea', shared.id))).toEqual([403, 'not_owner']);
  });

  test('answers nothing without a session, and changes nothing for another site', async () => {
    const { id } = await added('al', zone);
    const without = [
      await GET(request('GET', '/api/overlays', undefined)),
      await add(undefined),
      await one(undefined, id),
      await remove(undefined, id),
    ];
    for (const answer of without) expect(await refused(answer)).toEqual([401, 'not_signed_in']);
    for (const answer of [await add('al', { ...zone, name: 'x' }, 'cross-site'), await remove('al', id, 'cross-site')])
      expect(await refused(answer)).toEqual([403, 'cross_site']);
    expect(await list('al')).toHaveLength(1);
  });

  test.each([
    ['without a content', { name: 'x' }],
    ['with a content that is not packed', { name: 'x', packed: JSON.stringify(content) }],
    ['with an owner', { ...zone, owner: 'bea' }],
    ['with a name on two lines', { ...zone, name: 'a\nb' }],
    ['that is larger than any', { ...zone, packed: 'A'.repeat(OVERLAY_PACKED_MAX_LENGTH + 4) }],
  ])('an overlay %s is refused', async (_, body) => {
    expect(await refused(await add('al', body))).toEqual([400, 'bad_body']);
    expect(await list('al')).toEqual([]);
  });

  test('a body that is larger than any overlay is refused unread', async () => {
    expect(await refused(await add('al', { ...zone, packed: 'A'.repeat(70_000) }))).toEqual([413, 'too_large']);
  });
});

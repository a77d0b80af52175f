import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import type { MadeReadToken, NewReadToken } from '#lib/api/outputs/read-token.ts';
import { PERMISSIONS, TOKEN_PERMISSIONS, type TokenPermission, wallMay } from '#lib/api/people/permission.ts';
import type { Permit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { type Answer, ask } from '#testing/api-requests.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { apiRoutes } from '../../scripts/docs/api-routes.ts';
import { withDatabase } from '../../scripts/setup/with-database.ts';

const NOW = upstreamInstant(Date.now());
const PAST = `start=${formatInstant(addMs(NOW, -2 * HOUR_MS))}&end=${formatInstant(addMs(NOW, -HOUR_MS))}`;
const AREA: [number, number, number, number] = [7, 46, 9, 48];
/** In the area and out of it. */
const [HERE, THERE] = [
  [8.5, 47.4],
  [12, 47.4],
].map(([lon = 0, lat = 0]) => ({
  type: 'Circle' as const,
  centre: [lon, lat] as [number, number],
  radius_m: 2000,
})) as [
  { type: 'Circle'; centre: [number, number]; radius_m: number },
  { type: 'Circle'; centre: [number, number]; radius_m: number },
];
const TERMS = { layers: ['rid'], track: null, shape: null, vertical: null };
const VALID = { start: formatInstant(NOW), end: formatInstant(addMs(NOW, HOUR_MS)) };

let lookout: LookoutHere;
let root: string;
let al: string;
let named = 0;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['root', 'al'],
    roles: { root: 'admin' },
    settings: { LOG_LEVEL: 'debug' },
    staysInDay: true,
  });
  [root, al] = [await lookout.signIn('root'), await lookout.signIn('al')];
});
afterAll(() => lookout.stop());

const as = (cookie: string, route: string, body?: object) => {
  const [method = '', path = ''] = route.split(' ');
  return ask(`${lookout.url}${path}`, { method, headers: { cookie, origin: lookout.url }, body });
};
const made = async (scopes: readonly TokenPermission[], more: Partial<NewReadToken> = {}): Promise<MadeReadToken> => {
  const answer = await as(root, 'POST /api/admin/read-tokens', { name: `token ${named++}`, scopes, ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.json();
};
const sharedView = async () => {
  const body = { name: `view ${named++}`, query: '?view=47.4,8.5,11', shared: true };
  return (await as(root, 'POST /api/views', body)).json().id as string;
};
/** No cookie, no Origin: as programs send it. */
const by = ({ secret }: MadeReadToken, route: string, body?: object, headers: Record<string, string> = {}) => {
  const [method = '', path = ''] = route.split(' ');
  const authorization = `Bearer ${secret}`;
  return ask(`${lookout.url}${path}`, { method, headers: { authorization, ...headers }, body });
};
const codeOf = ({ status, text }: Answer) =>
  status >= 400 && text !== '' ? errorAnswerSchema.parse(JSON.parse(text)).error.code : undefined;
const result = (answer: Answer) => [answer.status, codeOf(answer)];
const zoneOf = async (cookie: string, change: Parameters<typeof newZone>[0]) =>
  ((await as(cookie, 'POST /api/zones', newZone({ name: `zone ${named++}`, ...change }))).json() as { zone: Zone })
    .zone;

describe('the table of permissions', () => {
  const ROUTES = apiRoutes().filter(({ permission }) => permission !== undefined);
  const sent = (method: string, path: string) => ({
    method,
    path: path.replaceAll(/\b(?!TOKEN)[A-Z]+\b/g, 'none'),
    body: method === 'GET' || method === 'HEAD' || method === 'DELETE' ? undefined : { no: 'such field' },
  });

  test.each(TOKEN_PERMISSIONS)('a token for %s alone is refused wherever the table does not have it', async (only) => {
    const view = only === 'wall' ? await sharedView() : null;
    const token = await made([only], { requests_a_minute: 1200, view });
    for (const { method, path: route, permission } of ROUTES) {
      const isOpened = permission === only;
      const { path, body } = sent(method, route);
      const answer = await by(token, `${method} ${path.replace('TOKEN', token.secret)}`, body, { origin: lookout.url });
      const cell = `${method} ${route}: ${answer.status} ${answer.text.slice(0, 100)}`;
      if (isOpened) expect.soft([401, 403], cell).not.toContain(answer.status);
      else
        expect
          .soft(method === 'HEAD' ? answer.status : result(answer), cell)
          .toEqual(method === 'HEAD' ? 403 : [403, 'not_permitted']);
    }
  });

  test('no token has a permission of accounts, of admins, or of more than it is for', () => {
    for (const permission of ['own-affairs', 'administer', 'spend', 'watch', 'view'] as const) {
      expect(TOKEN_PERMISSIONS).not.toContain(permission);
      expect(PERMISSIONS[permission]).not.toHaveProperty('wall');
    }
  });

  test('the browser of a wall is refused wherever the table does not have a wall', async () => {
    const cookie = await openedWall();
    for (const { method, path: route, permission, takesToken } of ROUTES) {
      if (permission === undefined || takesToken) continue;
      const { path, body } = sent(method, route);
      const answer = await as(cookie, `${method} ${path}`, body);
      const cell = `${method} ${route}: ${answer.status} ${answer.text.slice(0, 100)}`;
      if (wallMay(permission)) expect.soft([401, 403], cell).not.toContain(answer.status);
      else expect.soft(answer.status, cell).toBe(403);
    }
  });
});

const opening = ({ secret: token }: MadeReadToken, cookie = '') => as(cookie, 'POST /api/session/wall', { token });
async function openedWall(): Promise<string> {
  const wall = await made(['wall'], { view: await sharedView() });
  const answer = await opening(wall);
  expect(result(answer)).toEqual([204, undefined]);
  return wallCookie(answer);
}
const wallCookie = ({ headers }: Answer) =>
  (headers['set-cookie'] ?? [])
    .map((text) => text.split(';')[0] ?? '')
    .find((text) => text.startsWith('lookout-wall=')) ?? '';

describe('a token', () => {
  test('needs no proof of its origin, which a cookie needs', async () => {
    const token = await made(['write-zones']);
    const zone = newZone({ name: 'by a program' });
    expect((await by(token, 'POST /api/zones', zone)).status).toBe(201);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect(result(await by(token, 'POST /api/zones', zone, foreign))).toEqual([403, 'cross_site']);
    const cookie = { cookie: root, authorization: 'Bearer of-a-proxy' };
    expect(result(await ask(`${lookout.url}/api/zones`, { method: 'POST', headers: cookie, body: zone }))).toEqual([
      403,
      'cross_site',
    ]);
  });

  test('counts alone: the session of its sender adds nothing', async () => {
    const token = await made(['read-live']);
    expect(result(await by(token, 'GET /api/admin/people', undefined, { cookie: root }))).toEqual([
      403,
      'not_permitted',
    ]);
  });

  test('is refused in an address, and nothing has it: no log, no audit, no list', async () => {
    const token = await made(['read-live', 'aircraft']);
    for (const path of [
      '/api/live?bbox=7,46,8,47&token=',
      '/api/live?bbox=7,46,8,47&',
      '/?wall&token=',
      '/api/places?q=',
    ])
      for (const secret of [token.secret, token.secret.replace('l', '%6c'), token.secret.replace('l', 'L')])
        expect(result(await as(root, `GET ${path}${secret}`))).toEqual([400, 'bad_query']);
    expect((await by(token, `GET /api/feeds/${token.secret}/data/aircraft.json`)).status).toBe(200);
    expect((await by(token, 'GET /api/live?bbox=7,46,8,47')).status).toBe(200);
    await by(token, 'GET /api/admin/people');
    const list = await as(root, 'GET /api/admin/read-tokens');
    const audit = await as(root, 'GET /api/admin/audit');
    expect(audit.text).toContain(token.token.name);
    const body = token.secret.slice('lookout_'.length);
    for (const text of [lookout.log(), list.text, audit.text]) expect(text).not.toContain(body);
    expect(lookout.log()).toContain(`token:${token.token.name}`);
  });

  test('ends at its end with 401, and its rate with 429', async () => {
    const ended = await made(['read-live'], { ends_at: formatInstant(addMs(NOW, -1000)) });
    expect(result(await by(ended, 'GET /api/live?bbox=7,46,8,47'))).toEqual([401, 'not_signed_in']);
    const slow = await made(['read-alarms'], { requests_a_minute: 6 });
    expect((await by(slow, 'GET /api/zones')).status).toBe(200);
    const refused = await by(slow, 'GET /api/zones');
    expect(result(refused)).toEqual([429, 'too_many_reads']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(5);
  });

  test('reads positions in its area alone, also where Lookout reads more', async () => {
    const token = await made(['read-live', 'read-history'], { area: AREA, history_requests_a_day: 100 });
    for (const path of [
      '/api/live?bbox=7,46,10,48',
      '/api/trails?bbox=6,46,8,47',
      `/api/history?bbox=8,46,9.5,47&${PAST}`,
      `/api/history/cost?bbox=8,46,9.5,47&${PAST}`,
    ])
      expect(result(await by(token, `GET ${path}`)), path).toEqual([403, 'outside_area']);
    const all = await as(root, 'GET /api/live?bbox=5,45,11,49&layers=adsb');
    expect(all.json().layers.adsb.records.length).toBeGreaterThan(0);
    const live = await by(token, 'GET /api/live?bbox=7.9,46.9,8.2,47.2', undefined, { accept: COMPACT_LIVE_TYPE });
    expect(live.headers['content-type']).toContain('application/json');
    const lines = (await by(token, `GET /api/history?bbox=7.9,46.9,8.2,47.2&layers=adsb&${PAST}`)).text
      .trim()
      .split('\n');
    const parts = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'part');
    const records = [...live.json().layers.adsb.records, ...parts.flatMap((part) => part.records)];
    expect(parts.length).toBeGreaterThan(0);
    for (const { longitude, latitude } of records)
      expect(longitude >= 7 && longitude <= 9 && latitude >= 46 && latitude <= 48).toBe(true);
  });

  test('spends on history what its price of a day has, and then reads what is stored', async () => {
    const token = await made(['read-history'], { history_requests_a_day: 3 });
    const loaded = async (bbox: string) => {
      lookout.service.forgetRequests();
      const answer = await by(token, `GET /api/history?bbox=${bbox}&layers=adsb&${PAST}`);
      expect(answer.status).toBe(200);
      return lookout.service.requests().filter(({ operation }) => /history/.test(operation)).length;
    };
    const left = async () =>
      (await by(token, `GET /api/history/cost?bbox=20,46,21,47&layers=adsb&${PAST}`)).json().left as number;
    expect(await left()).toBe(3);
    const spent = (await loaded('20,46,21,47')) + (await loaded('22,46,23,47')) + (await loaded('24,46,25,47'));
    expect(spent).toBeGreaterThan(0);
    expect(spent + (await loaded('26,46,27,47')) + (await loaded('28,46,29,47'))).toBeLessThanOrEqual(3);
    expect(await left()).toBe(0);
    const gaps = await by(token, `GET /api/history?bbox=30,46,31,47&layers=adsb&${PAST}`);
    expect(gaps.text).toContain('not_requested');
  });

  test('pays nothing for a load that does not begin', async () => {
    const token = await made(['read-history'], { history_requests_a_day: 5, requests_a_minute: 1200 });
    const path = `/api/history?bbox=62,46,63,47&layers=adsb&${PAST}`;
    expect((await by(token, `HEAD ${path}`)).status).toBe(200);
    await eventually(async () =>
      expect((await by(token, `GET ${path.replace('history', 'history/cost')}`)).json().left).toBe(5),
    );
  });

  test('spends no more than its price with loads that it leaves', async () => {
    const token = await made(['read-history'], { history_requests_a_day: 5 });
    lookout.service.forgetRequests();
    for (let west = 40; west < 60; west += 2) {
      const left = new AbortController();
      const path = `/api/history?bbox=${west},46,${west + 1},47&layers=adsb&${PAST}`;
      const headers = { authorization: `Bearer ${token.secret}` };
      const { body } = await fetch(`${lookout.url}${path}`, { headers, signal: left.signal });
      const reader = body?.getReader();
      for (let read = 0; read < 2; read++) await reader?.read();
      left.abort();
    }
    const left = async () =>
      (await by(token, `GET /api/history/cost?bbox=20,46,21,47&layers=adsb&${PAST}`)).json().left as number;
    await eventually(async () => expect(await left()).toBe(0));
    const requests = lookout.service.requests().filter(({ operation }) => /history/.test(operation));
    expect(requests.length).toBeLessThanOrEqual(5);
    expect(requests.length).toBeGreaterThan(0);
  });

  test('owns what it writes under its name, and changes nothing of others', async () => {
    const token = await made(['write-zones', 'write-permits', 'read-alarms']);
    const name = `${token.token.name} (token)`;
    const zone = (await by(token, 'POST /api/zones', newZone({ name: 'Site', shared: true }))).json().zone as Zone;
    expect(zone).toMatchObject({ owner: name, mine: true });
    const [shared, hidden] = [await zoneOf(al, { shared: true }), await zoneOf(al, {})];
    const seen = (await by(token, 'GET /api/zones')).json().zones.map((each: { zone: Zone }) => each.zone.id);
    expect(seen).toEqual(expect.arrayContaining([zone.id, shared.id]));
    expect(seen).not.toContain(hidden.id);
    const change = { ...newZone({ name: 'Mine now' }), revision: 1 };
    expect(result(await by(token, `PATCH /api/zones/${shared.id}`, change))).toEqual([403, 'not_owner']);
    expect(result(await by(token, `PATCH /api/zones/${hidden.id}`, change))).toEqual([404, 'not_found']);
    const reads = newZone({ name: 'Dear', history_requests_a_day: 10 });
    expect(result(await by(token, 'POST /api/zones', reads))).toEqual([403, 'not_permitted']);

    const permit = { ...TERMS, ...VALID, name: 'Inspection', zone: shared.id };
    const [own] = (await by(token, 'POST /api/permits', { permits: [permit] })).json().permits as [Permit];
    expect(own.made_by).toBe(name);
    expect(result(await by(token, 'POST /api/permits', { permits: [{ ...permit, zone: hidden.id }] }))).toEqual([
      404,
      'not_found',
    ]);
    const [police] = (await as(al, 'POST /api/permits', { permits: [permit] })).json().permits as [Permit];
    expect(result(await by(token, `POST /api/permits/${police.id}/end`, { revision: 1 }))).toEqual([403, 'not_owner']);
    expect((await by(token, `POST /api/permits/${own.id}/end`, { revision: 1 })).status).toBe(200);
    await eventually(async () => {
      const { entries } = (
        await as(root, `GET /api/admin/audit?operator=token:${encodeURIComponent(token.token.name)}`)
      ).json();
      expect(entries.map(({ event }: { event: { kind: string } }) => event.kind).sort()).toEqual([
        'permit_ended',
        'permit_made',
        'zone_added',
      ]);
    });

    await as(root, `DELETE /api/admin/read-tokens/${token.token.id}`);
    const next = await made(['write-zones'], { name: token.token.name });
    expect((await by(next, `DELETE /api/zones/${zone.id}`)).status).toBe(204);
  });

  test('reads and writes zones, permits and alarms in its area alone', async () => {
    const token = await made(['write-zones', 'write-permits', 'read-alarms', 'acknowledge'], { area: AREA });
    const [here, there] = [
      await zoneOf(al, { shared: true, shape: HERE }),
      await zoneOf(al, { shared: true, shape: THERE }),
    ];
    const raised = [
      transition(here.id, { at: NOW }),
      transition(there.id, {
        at: NOW,
        evidence: transition('x', { at: NOW }).evidence.map((position) => ({ ...position, lon: 12, lat: 47.4 })),
      }),
    ];
    await withDatabase({ NODE_ENV: 'test', DATA_DIR: lookout.dataDir }, (database) =>
      new AlarmStore(database).commit({ rows: [], transitions: raised, stretches: [], madeUp: [], at: NOW }, 0),
    );
    const ids = async (path: string, list: string) =>
      (await by(token, `GET ${path}`)).json()[list].map((each: { id?: string; zone: { id: string } }) => each.zone.id);
    expect(await ids('/api/zones', 'zones')).toContain(here.id);
    expect(await ids('/api/zones', 'zones')).not.toContain(there.id);
    expect(await ids('/api/alarms', 'alarms')).toEqual([here.id]);
    const alarms = (await as(root, 'GET /api/alarms')).json().alarms as { id: string; zone: { id: string } }[];
    const alarmOf = (zone: string) => alarms.find((alarm) => alarm.zone.id === zone)?.id;
    const answer = { revision: 0, until: null, comment: '' };
    const acknowledged = (zone: string) => by(token, `POST /api/alarms/${alarmOf(zone)}/acknowledge`, answer);
    expect((await acknowledged(there.id)).status).toBe(404);
    const done = await acknowledged(here.id);
    expect(done.json().acknowledged.by).toBe(`${token.token.name} (token)`);

    for (const shape of [THERE, { ...HERE, radius_m: 200_000 }])
      expect(result(await by(token, 'POST /api/zones', newZone({ name: 'Out', shape })))).toEqual([
        403,
        'outside_area',
      ]);
    const permits = (zone: string, shape: object | null) =>
      by(token, 'POST /api/permits', { permits: [{ ...TERMS, ...VALID, name: 'P', zone, shape }] });
    expect(result(await permits(there.id, null))).toEqual([403, 'outside_area']);
    expect(result(await permits(here.id, THERE))).toEqual([403, 'outside_area']);
    const [permit] = (await permits(here.id, null)).json().permits as [Permit];
    expect(permit.zone.id).toBe(here.id);
    const moved = { ...TERMS, ...VALID, name: 'P', revision: 1, shape: THERE };
    expect(result(await by(token, `PATCH /api/permits/${permit.id}`, moved))).toEqual([403, 'outside_area']);
    const time = (value: string) => ({ value, format: 'RFC3339' });
    const intent = (lng: number) => ({
      reference: { id: randomUUID(), version: 1, state: 'Accepted' },
      details: {
        volumes: [
          {
            volume: { outline_circle: { center: { lat: 47.4, lng }, radius: { value: 500, units: 'M' } } },
            time_start: time(VALID.start),
            time_end: time(VALID.end),
          },
        ],
      },
    });
    const intents = (zone: string, lng: number) =>
      by(token, 'POST /api/permits', { operational_intents: [{ zone, intent: intent(lng) }] });
    expect(result(await intents(there.id, 12))).toEqual([403, 'outside_area']);
    expect(result(await intents(here.id, 12))).toEqual([403, 'outside_area']);
    expect((await intents(here.id, HERE.centre[0] as number)).status).toBe(201);
    const year = { ...VALID, end: formatInstant(addMs(NOW, 365 * 24 * HOUR_MS)) };
    const long = { permits: [{ ...TERMS, ...year, name: 'Year', zone: here.id }] };
    expect(result(await by(token, 'POST /api/permits', long))).toEqual([403, 'needs_admin']);
    await as(al, 'POST /api/permits', { permits: [{ ...TERMS, ...VALID, name: 'There', zone: there.id }] });
    expect(await ids('/api/permits', 'permits')).not.toContain(there.id);
  });

  test('changes and ends nothing out of its area that an earlier token of its name made', async () => {
    const scopes = ['write-zones', 'write-permits'] as const;
    const wide = await made(scopes);
    const { name } = wide.token;
    const zone = (await by(wide, 'POST /api/zones', newZone({ name: 'Far', shape: THERE }))).json().zone as Zone;
    const permit = { ...TERMS, ...VALID, name: 'Far' };
    const [its] = (await by(wide, 'POST /api/permits', { permits: [{ ...permit, zone: zone.id }] })).json().permits;
    await as(root, `DELETE /api/admin/read-tokens/${wide.token.id}`);
    const near = await made(scopes, { name, area: AREA });
    for (const [route, body] of [
      [`PATCH /api/permits/${its.id}`, { ...permit, revision: 1 }],
      [`PATCH /api/permits/${its.id}`, { ...permit, revision: 1, shape: HERE }],
      [`POST /api/permits/${its.id}/end`, { revision: 1 }],
      [`PATCH /api/zones/${zone.id}`, { ...newZone({ name: 'Far', shape: HERE }), revision: 1 }],
      [`DELETE /api/zones/${zone.id}`, undefined],
    ] as const)
      expect([route, ...result(await by(near, route, body))]).toEqual([route, 403, 'outside_area']);
  });

  test('answers no alarm by a permit without the permission to acknowledge', async () => {
    const token = await made(['write-permits']);
    const { id: zone } = await zoneOf(al, { shared: true });
    const alarms = [{ id: '00000000-0000-4000-8000-000000000000', revision: 0 }];
    const body = { permits: [{ ...TERMS, ...VALID, name: 'P', zone }], alarms };
    expect(result(await by(token, 'POST /api/permits', body))).toEqual([403, 'not_permitted']);
  });

  test('that is revoked opens nothing more, and its waiting requests end', async () => {
    const token = await made(['read-alarms']);
    const next = (await by(token, 'GET /api/alarms')).json().next;
    const waiting = by(token, `GET /api/alarms?since=${next}&wait=2000`);
    await as(root, `DELETE /api/admin/read-tokens/${token.token.id}`);
    expect(result(await waiting)).toEqual([401, 'not_signed_in']);
    expect(result(await by(token, 'GET /api/alarms'))).toEqual([401, 'not_signed_in']);
  });
});

describe('a wall', () => {
  test('is opened once by its address, and not where a person is signed in', async () => {
    const wall = await made(['wall'], { view: await sharedView() });
    expect(result(await opening(wall, al))).toEqual([409, 'not_possible']);
    expect(result(await opening(await made(['read-live'])))).toEqual([403, 'not_permitted']);
    const answer = await opening(wall);
    expect(answer.headers['set-cookie']?.join()).toMatch(/lookout-wall=Fe26[^;]*;.*HttpOnly; SameSite=strict/);
    expect(answer.headers['set-cookie']?.join()).not.toContain(wall.secret);
    expect((await as(wallCookie(answer), 'GET /api/status')).status).toBe(200);
    expect(result(await opening(wall))).toEqual([401, 'not_signed_in']);
    expect(result(await by(wall, 'GET /api/live?bbox=8,47,9,48'))).toEqual([401, 'not_signed_in']);
  });

  test('reads the place of its view alone, until it is revoked, unshared or over', async () => {
    const view = await sharedView();
    const wall = await made(['wall'], { view, ends_at: formatInstant(addMs(NOW, DAY_MS)) });
    const cookie = wallCookie(await opening(wall));
    expect((await as(cookie, 'GET /api/live?bbox=8.4,47.3,8.6,47.5')).status).toBe(200);
    expect(result(await as(cookie, 'GET /api/live?bbox=20,47,20.1,47.1'))).toEqual([403, 'outside_area']);
    expect(result(await as(cookie, 'GET /api/trails?bbox=-10,30,30,60'))).toEqual([403, 'outside_area']);
    const [far, secret] = [await zoneOf(al, { shared: true, shape: THERE }), await zoneOf(al, { shape: HERE })];
    const zones = (await as(cookie, 'GET /api/zones')).text;
    for (const { id } of [far, secret]) expect(zones).not.toContain(id);
    await as(root, `PATCH /api/views/${view}`, { shared: false });
    expect((await as(cookie, 'GET /api/status')).status).toBe(401);
    await as(root, `PATCH /api/views/${view}`, { shared: true });
    expect((await as(cookie, 'GET /api/status')).status).toBe(200);
    await as(root, `DELETE /api/admin/read-tokens/${wall.token.id}`);
    expect((await as(cookie, 'GET /api/status')).status).toBe(401);
  });

  test('draws the overlays that are shared, as a viewer of its view does', async () => {
    const cookie = await openedWall();
    const content = {
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [8.5, 47.4] } }],
    };
    const packed = deflateRawSync(JSON.stringify(content)).toString('base64');
    const [site, own] = await Promise.all(
      [true, false].map(async (shared) =>
        (await as(al, 'POST /api/overlays', { name: `overlay ${shared}`, shared, packed })).json(),
      ),
    );
    const { overlays } = (await as(cookie, 'GET /api/overlays')).json();
    expect(overlays).toEqual([{ ...site, mine: false }]);
    expect((await as(cookie, `GET /api/overlays/${site.id}`)).json()).toEqual(content);
    expect((await as(cookie, `GET /api/overlays/${own.id}`)).status).toBe(404);
  });

  test('has a shared view and no other permission', async () => {
    const make = (body: object) => as(root, 'POST /api/admin/read-tokens', { name: 'a wall', ...body });
    const own = (await as(root, 'POST /api/views', { name: 'own', query: '?view=47.4,8.5,11' })).json().id;
    const view = await sharedView();
    for (const body of [
      { scopes: ['wall'] },
      { scopes: ['wall', 'read-live'], view },
      { scopes: ['read-live'], view },
      { scopes: ['wall'], view: own },
      { scopes: ['wall'], view, area: AREA },
    ])
      expect(result(await make(body)), JSON.stringify(body)).toEqual([400, 'bad_body']);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKEN_PERMISSIONS } from '#lib/api/people/permission.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Permit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { ask } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { apiRoutes } from '../../scripts/docs/api-routes.ts';
import { withDatabase } from '../../scripts/setup/with-database.ts';

/** Names the private zone and its permit: no answer to another operator has it. */
const SECRET = 'Hidden garden';
const NOW = upstreamInstant(Date.now());
const WINDOW = `start=${formatInstant(addMs(NOW, -HOUR_MS))}&end=${formatInstant(addMs(NOW, HOUR_MS))}`;
const TERMS = {
  name: `${SECRET} survey`,
  layers: ['rid'],
  track: null,
  shape: null,
  vertical: null,
  start: formatInstant(NOW),
  end: formatInstant(addMs(NOW, HOUR_MS)),
};
/** Where no traffic is. */
const CONTENT = newZone({ name: SECRET, shape: { type: 'Circle', centre: [-140, -50], radius_m: 2000 } });

interface Ids {
  readonly zone: string;
  readonly alarm: string;
  readonly permit: string;
}
interface Attempt {
  /** Default: the path of the route. */
  readonly path?: string;
  readonly body?: object;
}
type Attempts = (ids: Ids) => readonly Attempt[];

/** Requests of an operator for the zone of another, at each route that has to do with zones. */
const ATTEMPTS: Readonly<Record<string, Attempts>> = {
  'GET /api/zones': () => [{}, { path: `/api/zones?at=${formatInstant(NOW)}` }],
  'POST /api/zones': () => [{ body: newZone({ name: 'Another' }) }],
  'PATCH /api/zones/ID': ({ zone }) => [{ path: `/api/zones/${zone}`, body: { ...CONTENT, revision: 1 } }],
  'DELETE /api/zones/ID': ({ zone }) => [{ path: `/api/zones/${zone}` }],
  'GET /api/zones/ID/watched': ({ zone }) => [{ path: `/api/zones/${zone}/watched?${WINDOW}` }],
  'GET /api/zones/unwatched': ({ zone }) => [
    { path: `/api/zones/unwatched?${WINDOW}` },
    { path: `/api/zones/unwatched?${WINDOW}&zone=${zone}` },
    { path: `/api/zones/unwatched?${WINDOW}&sums=true` },
  ],
  'PUT /api/zones/owner': ({ zone }) => [{ body: { person: 'bea', zones: [{ id: zone, revision: 1 }] } }],
  'POST /api/zones/price': ({ zone }) => [{ body: { id: zone, shape: CONTENT.shape, rules: CONTENT.rules } }],
  'GET /api/alarms': ({ zone }) => [{}, { path: `/api/alarms?zone=${zone}` }, { path: '/api/alarms?text=Hidden' }],
  'GET /api/alarms/export': ({ zone }) =>
    ['csv', 'geojson'].flatMap((format) => [
      { path: `/api/alarms/export?format=${format}` },
      { path: `/api/alarms/export?format=${format}&zone=${zone}` },
    ]),
  'GET /api/alarms/ID/deliveries': ({ alarm }) => [{ path: `/api/alarms/${alarm}/deliveries` }],
  'POST /api/alarms/ID/acknowledge': ({ alarm }) => [
    { path: `/api/alarms/${alarm}/acknowledge`, body: { revision: 0, until: null, comment: '' } },
  ],
  'POST /api/alarms/ID/close': ({ alarm }) => [
    { path: `/api/alarms/${alarm}/close`, body: { revision: 0, as: 'nuisance', comment: '' } },
  ],
  'POST /api/alarms/acknowledge': ({ alarm }) => [
    { body: { alarms: [{ id: alarm, revision: 0 }], until: null, comment: '' } },
  ],
  'POST /api/alarms/close': ({ alarm }) => [
    { body: { alarms: [{ id: alarm, revision: 0 }], as: 'nuisance', comment: '' } },
  ],
  'GET /api/permits': () => [{}, { path: `/api/permits?${WINDOW}` }],
  'POST /api/permits': ({ zone, alarm }) => [
    { body: { permits: [{ ...TERMS, name: 'Mine', zone }], alarms: [{ id: alarm, revision: 0 }] } },
  ],
  'PATCH /api/permits/ID': ({ permit }) => [
    { path: `/api/permits/${permit}`, body: { ...TERMS, name: 'Mine', revision: 1 } },
  ],
  'POST /api/permits/ID/end': ({ permit }) => [{ path: `/api/permits/${permit}/end`, body: { revision: 1 } }],
  'POST /api/incidents': ({ zone }) => [
    { body: { title: 'Near', from: formatInstant(addMs(NOW, -HOUR_MS)), area: { zone }, layers: ['rid'] } },
  ],
  'POST /api/incidents/ID/alarms': ({ alarm }) => [
    { path: `/api/incidents/${incident}/alarms`, body: { alarms: [alarm], remark: '' } },
  ],
  'GET /api/incidents/ID': () => [{ path: `/api/incidents/${incident}` }],
  'GET /api/features/collections/COLLECTION/items': () =>
    ['zones', 'alarms'].map((collection) => ({ path: `/api/features/collections/${collection}/items` })),
  'GET /api/features/collections/COLLECTION/items/ID': ({ zone, alarm }) => [
    { path: `/api/features/collections/zones/items/${zone}` },
    { path: `/api/features/collections/alarms/items/${alarm}` },
  ],
};

/** Routes whose answers have nothing of a zone, or that are for admins, who see every zone. */
const NO_ZONES = [
  ...['/api/account', '/api/admin', '/api/session', '/api/views', '/api/overlays', '/api/page-errors', '/api/status'],
  ...[
    '/api/live',
    '/api/trails',
    '/api/history',
    '/api/export',
    '/api/overview',
    '/api/places',
    '/api/maps',
    '/api/sightings',
  ],
  ...['/api/feeds', '/api/destinations', '/api/hand-over', '/api/alarms/presence', '/api/alarms/seen'],
  // New zones alone.
  ...['/api/zones/try', '/api/zones/import'],
  // Their readers see the same, of shared zones alone.
  '/api/incidents',
  ...['/api/features/api', '/api/features/conformance'],
];
const NO_ZONES_EXACTLY = ['/api/features', '/api/features/collections', '/api/features/collections/COLLECTION'];

let lookout: LookoutHere;
let cookies: Readonly<Record<'al' | 'bea' | 'vic' | 'root', string>>;
let token: string;
/** With every permission that a program can have. */
let program: string;
let ids: Ids;
/** Of another operator. */
let incident: string;

const send = (who: keyof typeof cookies | 'program', route: string, { path, body }: Attempt) => {
  const [method = '', own = ''] = route.split(' ');
  const isOfTokens = own.startsWith('/api/features');
  const by =
    who === 'program'
      ? { authorization: `Bearer ${program}` }
      : isOfTokens
        ? { authorization: `Bearer ${token}` }
        : { cookie: cookies[who], origin: lookout.url };
  return ask(`${lookout.url}${path ?? own}`, { method, headers: { ...by }, body });
};
const read = async <Body>(who: keyof typeof cookies, path: string): Promise<Body> =>
  (await send(who, `GET ${path}`, {})).json();
const all = async (who: keyof typeof cookies) => ({
  zones: (await read<{ zones: { zone: Zone }[] }>(who, '/api/zones')).zones.map(({ zone }) => zone),
  alarms: (await read<{ alarms: Alarm[] }>(who, '/api/alarms')).alarms,
  permits: (await read<{ permits: Permit[] }>(who, '/api/permits')).permits,
});

beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['al', 'bea', 'vic', 'root'],
    roles: { vic: 'viewer', root: 'admin' },
  });
  const signedIn = (name: string) => lookout.signIn(name);
  cookies = {
    al: await signedIn('al'),
    bea: await signedIn('bea'),
    vic: await signedIn('vic'),
    root: await signedIn('root'),
  };
  const made = await send('al', 'POST /api/zones', { body: CONTENT });
  const { zone } = made.json() as { zone: Zone };
  await withDatabase({ NODE_ENV: 'test', DATA_DIR: lookout.dataDir }, (database) =>
    new AlarmStore(database).commit(
      { rows: [], transitions: [transition(zone.id, { at: NOW })], stretches: [], madeUp: [], at: NOW },
      0,
    ),
  );
  await send('al', 'POST /api/permits', { body: { permits: [{ ...TERMS, zone: zone.id }] } });
  const name = 'A wall';
  token = (await send('root', 'POST /api/admin/read-tokens', { body: { name, scopes: ['features'] } })).json().secret;
  const scopes = TOKEN_PERMISSIONS.filter((each) => each !== 'wall');
  const every = { name: 'A program', scopes, requests_a_minute: 1200 };
  program = (await send('root', 'POST /api/admin/read-tokens', { body: every })).json().secret;
  const area = { type: 'Circle', centre: [-140, -50], radius_m: 5000 };
  const body = { title: 'Own', from: formatInstant(addMs(NOW, -HOUR_MS)), area, layers: ['rid'] };
  incident = (await send('bea', 'POST /api/incidents', { body })).json().incident.id;
  const { alarms, permits } = await all('al');
  ids = { zone: zone.id, alarm: alarms[0]!.id, permit: permits[0]!.id };
});
afterAll(() => lookout.stop());

test('every route is known as one that has to do with zones, or one that has not', () => {
  const routes = apiRoutes().map(({ method, path }) => ({ route: `${method} ${path}`, path }));
  const unknown = routes.filter(
    ({ route, path }) =>
      ATTEMPTS[route] === undefined &&
      !NO_ZONES_EXACTLY.includes(path) &&
      !NO_ZONES.some((start) => path === start || path.startsWith(`${start}/`)),
  );
  expect(unknown).toEqual([]);
  expect(routes.map(({ route }) => route)).toEqual(expect.arrayContaining(Object.keys(ATTEMPTS)));
});

test('no route shows or changes a private zone of another, with its alarms and permits, or says that it exists', async () => {
  const before = await all('al');
  const absent: Ids = { zone: randomUUID(), alarm: randomUUID(), permit: randomUUID() };
  for (const [route, attempts] of Object.entries(ATTEMPTS)) {
    const others = attempts(absent);
    for (const [index, attempt] of attempts(ids).entries())
      for (const who of ['bea', 'vic', 'program'] as const) {
        const answer = await send(who, route, attempt);
        const cell = `${route} ${JSON.stringify(attempt)} as ${who}: ${answer.status} ${answer.text.slice(0, 200)}`;
        expect.soft(answer.text, cell).not.toContain(SECRET);
        if (JSON.stringify(attempt) === JSON.stringify(others[index])) continue;
        const unknown = await send(who, route, others[index]!);
        const plain = (text: string, of: Ids) =>
          Object.entries(of)
            .reduce((its, [what, id]) => its.replaceAll(id, what), text)
            .replace(/"request_id":"[^"]*"/, '');
        expect
          .soft([answer.status, plain(answer.text, ids)], cell)
          .toEqual([unknown.status, plain(unknown.text, absent)]);
      }
  }
  expect(await all('al')).toEqual(before);
});

test('its owner and an admin read the same zone, alarm and permit at every list', async () => {
  for (const who of ['al', 'root'] as const) {
    const found = await all(who);
    expect(found.zones.map(({ id }) => id)).toContain(ids.zone);
    expect(found.alarms.map(({ id }) => id)).toEqual([ids.alarm]);
    expect(found.permits.map(({ id }) => id)).toEqual([ids.permit]);
    for (const path of [
      '/api/alarms/export?format=csv',
      `/api/permits?${WINDOW}`,
      `/api/zones/unwatched?${WINDOW}&sums=true`,
    ])
      expect((await send(who, `GET ${path}`, {})).text, path).toContain(SECRET);
  }
});

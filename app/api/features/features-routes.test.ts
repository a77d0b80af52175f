import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NewZone } from '#lib/api/watching/zones.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { refusalIn } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { OUTPUTS_AT, servedOutputs } from '#testing/served-outputs.ts';

const ALPS: Bbox = { west: 5, south: 44, east: 15, north: 48 };
const AL = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const CORRIDOR: NewZone['shape'] = {
  type: 'Corridor',
  line: [
    [179.9, 10],
    [-179.9, 10.1],
  ],
  half_width_m: 500,
};

let outputs: Awaited<ReturnType<typeof servedOutputs>>;
let secret: string;
beforeEach(async () => {
  outputs = await servedOutputs();
  secret = await outputs.token();
});

const items = (collection: string, query = '') => `/api/features/collections/${collection}/items${query}`;
async function read(path: string, token = secret) {
  const answer = await outputs.get(path.replace(outputs.url, ''), token);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json();
}
const idsIn = ({ features }: { features: { id: string }[] }) => features.map(({ id }) => id);
async function idsOfAllPages(path: string) {
  const ids: string[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const page = await read(next);
    ids.push(...idsIn(page));
    next = page.links.find(({ rel }: { rel: string }) => rel === 'next')?.href;
  }
  return { ids, pages };
}
const zone = (change: Partial<NewZone>) => outputs.zones.add(AL, newZone({ shared: true, ...change }));
const alarm = (zoneId: string, number: number, change: Partial<Transition> = {}) =>
  transition(zoneId, {
    key: `${zoneId} ${number}`,
    ref: `ref ${number}`,
    at: addMs(OUTPUTS_AT, 1000 * number),
    ...change,
  });
const raise = (transitions: Transition[]) =>
  new AlarmStore(outputs.database).commit({ rows: [], transitions, stretches: [], madeUp: [], at: OUTPUTS_AT }, 0);

describe('/api/features', () => {
  test('links from the landing page to everything, and says what an empty answer means', async () => {
    const landing = await read('/api/features');
    const hrefs: string[] = landing.links.map(({ href }: { href: string }) => href);
    expect(hrefs.every((href) => href.startsWith(`${outputs.url}/api/features`))).toBe(true);
    const [, api, conformance, collections] = await Promise.all(hrefs.map((href) => read(href)));
    expect(conformance.conformsTo).toContain('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson');
    expect(api.paths['/collections/{collection}/items'].get.parameters[1].schema.maximum).toBe(10_000);
    expect(collections.collections.map(({ id }: { id: string }) => id)).toEqual(['zones', 'alarms', 'positions']);
    for (const collection of collections.collections) {
      expect(collection.description).toContain('Received positions only');
      expect(await read(collection.links[0].href)).toEqual(collection);
      expect(await read(collection.links[1].href)).toMatchObject({ type: 'FeatureCollection', numberReturned: 0 });
    }
  });

  test('keeps null null, 0 zero, and marks simulations and tests', async () => {
    outputs.receive('adsb', ALPS, [{ ref: 'RX-A-1', heightAglM: 0, simulated: true }]);
    const { features, numberMatched, timeStamp } = await read(items('positions'));
    expect([numberMatched, timeStamp]).toEqual([1, '2026-11-27T12:00:00.000Z']);
    expect(features[0]).toMatchObject({
      id: 'RX-A-1',
      geometry: { type: 'Point', coordinates: [8.5, 47.5] },
      properties: { altitude_m: null, height_agl_m: 0, simulated: true, test_broadcast: false, stale_after: null },
    });
    expect(await read(`${items('positions')}/RX-A-1`)).toMatchObject(features[0]);
    expect((await outputs.get(`${items('positions')}/RX-A-2`, secret)).status).toBe(404);
  });

  test('serves each position once over pages, whatever the limit', async () => {
    outputs.receive(
      'adsb',
      ALPS,
      Array.from({ length: 25 }, (_, number) => ({ ref: `ref ${number}` })),
    );
    for (const [limit, count] of [
      [1, 25],
      [7, 4],
      [25, 1],
      ['99999999999999999999', 1],
    ]) {
      const { ids, pages } = await idsOfAllPages(items('positions', `?limit=${limit}`));
      expect([new Set(ids).size, ids.length, pages]).toEqual([25, 25, count]);
    }
  });

  test('serves shared zones only, as areas cut at 180°, and whether each is watched', async () => {
    const shared = await zone({
      name: 'Gate "1"',
      vertical: { field: 'altitude_m', floor_m: 0, ceiling_m: null, unknown: 'flagged' },
    });
    const corridor = await zone({ name: 'Corridor', shape: CORRIDOR });
    await outputs.zones.add(AL, newZone({ name: 'Own' }));
    const { features } = await read(items('zones'));
    expect(idsIn({ features }).sort()).toEqual([shared.id, corridor.id].sort());
    const [gate, across] = [shared, corridor].map(({ id }) => features.find((each: { id: string }) => each.id === id));
    expect(gate.properties).toMatchObject({
      name: 'Gate "1"',
      floor_m: 0,
      ceiling_m: null,
      rules: 'entered',
      watched: null,
    });
    expect(across.geometry.type).toBe('MultiPolygon');
    const lons: number[] = across.geometry.coordinates.flat(2).map(([lon]: number[]) => lon);
    expect([Math.min(...lons), Math.max(...lons)]).toEqual([-180, 180]);
    expect(JSON.stringify(features)).not.toContain('"Al"');
    expect(idsIn(await read(items('zones', '?bbox=8.4,47.3,8.6,47.5')))).toEqual([shared.id]);
    expect(idsIn(await read(items('zones', '?bbox=179,9,-179,11')))).toEqual([corridor.id]);
  });

  test('serves alarms of shared zones, over pages and times, without names of operators', async () => {
    const { id } = await zone({});
    const own = await outputs.zones.add(AL, newZone({ name: 'Own' }));
    const many = Array.from({ length: 1203 }, (_, number) => alarm(id, number, { test: number === 0 }));
    await raise([...many, alarm(own.id, 1), alarm(id, 5000, { evidence: [] })]);
    const all = await idsOfAllPages(items('alarms'));
    expect([new Set(all.ids).size, all.ids.length, all.pages]).toEqual([1204, 1204, 2]);
    const first = await read(items('alarms', '?limit=1'));
    expect(first.features[0].properties).toMatchObject({
      zone: 'Runway 14/32',
      kind: 'entered',
      test: true,
      altitude_m: null,
    });
    expect(await read(`${items('alarms')}/${first.features[0].id}`)).toMatchObject({ id: first.features[0].id });
    const matched = async (query: string) => (await read(items('alarms', `?limit=10000&${query}`))).numberReturned;
    expect(await matched('datetime=2026-11-27T12:00:00Z')).toBe(1);
    expect(await matched('datetime=2026-11-27T12:00:00Z/2026-11-27T12:00:02Z')).toBe(3);
    expect(await matched('datetime=2026-11-27T12:20:00Z/..')).toBe(4);
    expect(await matched('datetime=../2026-11-27T11:59:59Z')).toBe(0);
    expect(await matched('bbox=8,47,9,48')).toBe(1203);
    expect(await matched('bbox=0,0,1,1')).toBe(0);
  });

  test('opens nothing outside the area of a token', async () => {
    const { id } = await zone({});
    await raise([alarm(id, 1)]);
    outputs.receive('adsb', ALPS, [{ ref: 'a' }]);
    const elsewhere = await outputs.token({ area: [0, 0, 1, 1] });
    const here = await outputs.token({ area: [8, 47, 9, 48] });
    for (const collection of ['zones', 'alarms', 'positions']) {
      expect((await read(items(collection), elsewhere)).features).toEqual([]);
      const [feature] = (await read(items(collection), here)).features;
      expect((await outputs.get(`${items(collection)}/${encodeURIComponent(feature.id)}`, elsewhere)).status).toBe(404);
    }
  });

  test.each([
    ['?limit=0'],
    ['?limit=-1'],
    ['?limit=1e3'],
    ['?limit=1&limit=2'],
    ['?bbox=1,2,3'],
    ['?bbox=1,2,1,3'],
    ['?bbox=NaN,0,1,1'],
    ['?bbox=0,0,1e9,1'],
    ['?bbox=-181,0,1,1'],
    ['?bbox=0,90,1,-90'],
    [`?bbox=${'1,'.repeat(900)}`],
    ['?datetime=yesterday'],
    ['?datetime=2026-11-27T12:00:00Z/2026-11-27T11:00:00Z'],
    ['?datetime=../../..'],
    ['?datetime='],
    ['?crs=EPSG:2056'],
    ['?token=x'],
    ['?f=html'],
    [`?next=${'x'.repeat(101)}`],
    ['?__proto__=1'],
  ])('refuses the query %s', async (query) => {
    expect(await refusalIn(await outputs.get(items('positions', query), secret))).toEqual([400, 'bad_query']);
  });

  test('refuses hostile cursors, collections and ids', async () => {
    for (const next of ["' or 1=1 --", '1_x', '99999999999999999_00000000-0000-0000-0000-000000000000'])
      expect(await refusalIn(await outputs.get(items('alarms', `?next=${encodeURIComponent(next)}`), secret))).toEqual([
        400,
        'bad_query',
      ]);
    for (const path of [
      items('__proto__'),
      items('constructor'),
      items('alarm_outbox'),
      `${items('alarms')}/%27`,
      `${items('alarms')}/%00`,
      `${items('zones')}/%ff`,
    ])
      expect(await refusalIn(await outputs.get(path, secret))).toEqual([404, 'not_found']);
    expect(await refusalIn(await outputs.get('/api/features'))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await outputs.get('/api/features', await outputs.token({ scopes: ['aircraft'] })))).toEqual([
      403,
      'not_permitted',
    ]);
  });
});

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;

describe.skipIf(!hasGdal)('GDAL (apt-get install gdal-bin)', () => {
  const run = async (program: string, args: readonly string[]) => {
    const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${secret}` };
    return (await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  };

  test('ogrinfo lists the collections, and reads every position once over pages', async () => {
    outputs.receive(
      'adsb',
      ALPS,
      Array.from({ length: 2500 }, (_, number) => ({ ref: `ref ${number}`, heightAglM: number })),
    );
    await zone({ name: 'Gate', shape: CORRIDOR });
    const source = `OAPIF:${outputs.url}/api/features`;
    expect(await run('ogrinfo', [source])).toMatch(/zones.*\n.*alarms.*\n.*positions/);
    const summary = await run('ogrinfo', ['-so', source, 'positions']);
    expect(summary).toContain('Feature Count: 2500');
    expect(summary).toMatch(/Geometry: Point/);
    expect(await run('ogrinfo', ['-so', source, 'zones'])).toMatch(/Geometry: Multi Polygon/);
  });

  test('ogr2ogr copies positions and alarms with null, zero and marks', async () => {
    const { id } = await zone({});
    await raise([alarm(id, 1, { simulated: true }), alarm(id, 2, { evidence: [] })]);
    outputs.receive('adsb', ALPS, [{ ref: 'x', heightAglM: 0, testBroadcast: true }]);
    const copied = async (collection: string) =>
      JSON.parse(
        await run('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', `OAPIF:${outputs.url}/api/features`, collection]),
      ).features;
    expect(await copied('positions')).toMatchObject([
      { properties: { height_agl_m: 0, altitude_m: null, test_broadcast: true, simulated: false } },
    ]);
    expect(await copied('alarms')).toMatchObject([
      { geometry: { type: 'Point' }, properties: { simulated: true, zone: 'Runway 14/32' } },
      { geometry: null, properties: { simulated: false } },
    ]);
  });
});

import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { ApiClient } from '#testing/api-client.ts';
import { ask } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { alignedWindow, iso } from '#testing/past-window.ts';

// The answers of routes whose own tests call them without HTTP. `ask` holds each against docs/openapi.json.

let lookout: LookoutHere;
let ada: ApiClient;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['ada', 'bo'],
    roles: { ada: 'admin' },
    settings: { POSITIONS_ALLOWANCE: 'none', POSITIONS_EMBEDDED: '1' },
  });
  ada = await ApiClient.signedIn(lookout, 'ada');
});
afterAll(() => lookout.stop());

async function answer(status: number, method: string, path: string, body?: object) {
  const got = await ada.ask(method, path, body);
  expect(got.status, `${method} ${path}: ${got.text.slice(0, 300)}`).toBe(status);
  return got;
}
const json = async (status: number, method: string, path: string, body?: object) =>
  (await answer(status, method, path, body)).json();

const AREA = newZone({ name: 'Here', shared: true, shape: { type: 'Circle', centre: [8.5, 47.5], radius_m: 20_000 } });
const BOX = '8,47,9,48';
const now = () => Date.now();

test('zones, permits and watched time', async () => {
  const { zone } = await json(201, 'POST', '/api/zones', AREA);
  const window = `start=${iso(now() - 3_600_000)}&end=${iso(now())}`;
  await answer(200, 'GET', `/api/zones/${zone.id}/watched?${window}`);
  await answer(200, 'GET', `/api/zones/unwatched?${window}&sums=true`);
  await answer(200, 'GET', `/api/alarms/presence?${window}`);
  const start = iso(now() - 600_000);
  const trial = { shape: AREA.shape, rules: AREA.rules, start, end: iso(now() - 300_000) };
  await answer(200, 'POST', '/api/zones/try', trial);
  const terms = { name: 'Survey', layers: ['rid'], track: null, shape: null, vertical: null };
  const times = { start: iso(now()), end: iso(now() + 3_600_000) };
  const made = await json(201, 'POST', '/api/permits', { permits: [{ ...terms, ...times, zone: zone.id }] });
  const [{ id, revision }] = made.permits;
  const changed = await json(200, 'PATCH', `/api/permits/${id}`, { ...terms, ...times, name: 'Longer', revision });
  await answer(200, 'POST', `/api/permits/${id}/end`, { revision: changed.revision });
  await answer(200, 'GET', '/api/permits');
});

test('imported zones', async () => {
  const lines = ['One', 'Two'].map((name) => JSON.stringify({ ...AREA, name })).join('\n');
  const headers = { cookie: ada.cookie, origin: lookout.url, 'content-type': 'application/x-ndjson' };
  const imported = await ask(`${lookout.url}/api/zones/import`, { method: 'POST', headers, body: lines });
  expect([imported.status, imported.json().ids.length]).toEqual([201, 2]);
});

test('notes of a shift', async () => {
  const { id: note } = await json(201, 'POST', '/api/hand-over', { note: 'Quiet' });
  await answer(204, 'PUT', '/api/hand-over/read', { note });
  await answer(200, 'GET', '/api/hand-over');
  await answer(204, 'PUT', '/api/alarms/seen', { until: iso(now()) });
  await answer(200, 'GET', '/api/alarms/seen');
});

test('views and overlays', async () => {
  const { id } = await json(201, 'POST', '/api/views', { name: 'Home', query: '?view=47,8,9' });
  await answer(200, 'PATCH', `/api/views/${id}`, { shared: true });
  await answer(204, 'PUT', '/api/views/start', { id });
  await answer(200, 'GET', '/api/views');
  const content = {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { name: 'A' }, geometry: { type: 'Point', coordinates: [8, 47] } }],
  };
  const packed = deflateRawSync(JSON.stringify(content)).toString('base64');
  const overlay = await json(201, 'POST', '/api/overlays', { name: 'Sites', packed });
  await answer(200, 'GET', `/api/overlays/${overlay.id}`);
  await answer(200, 'GET', '/api/overlays');
});

test('positions, places, files and the overview', async () => {
  await expect.poll(async () => (await json(200, 'GET', `/api/live?bbox=${BOX}`)).layers.adsb.state).toBe('fresh');
  await answer(200, 'GET', `/api/trails?bbox=${BOX}`);
  await answer(200, 'GET', '/api/places?q=zurich');
  await answer(200, 'GET', '/api/places?near=47.46,8.55');
  for (const format of ['csv', 'geojson', 'kml']) {
    await answer(200, 'GET', `/api/export?format=${format}&bbox=${BOX}`);
    await answer(
      200,
      'GET',
      `/api/export?format=${format}&bbox=${BOX}&layers=adsb&max_requests=20&${alignedWindow(5)}`,
    );
  }
  for (const format of ['csv', 'geojson']) await answer(200, 'GET', `/api/alarms/export?format=${format}`);
  await answer(200, 'POST', '/api/history/seek', { load: 'none', from: iso(now()) });
  const hour = `start=${iso(now() - 3_600_000)}&end=${iso(now())}`;
  for (const more of ['', '&format=csv']) {
    await answer(200, 'GET', `/api/overview/coverage?layer=adsb&${hour}${more}`);
    await answer(200, 'GET', `/api/overview/hours?bbox=${BOX}&${hour}${more}`);
  }
  await answer(200, 'GET', `/api/overview/reception?bbox=${BOX}`);
});

test('destinations', async () => {
  const config = { kind: 'webhook', url: 'https://hooks.example/' };
  const { destination } = await json(201, 'POST', '/api/admin/destinations', { name: 'Desk', config });
  const path = `/api/admin/destinations/${destination.id}`;
  await answer(200, 'PATCH', path, { name: 'Tower', config, revision: destination.revision });
  await answer(201, 'POST', `${path}/secret`);
  await answer(200, 'DELETE', `${path}/secret`);
  await answer(202, 'POST', `${path}/trial`);
  await answer(200, 'GET', `${path}/deliveries`);
  await answer(200, 'GET', '/api/admin/destinations');
  await answer(200, 'GET', '/api/destinations');
});

test('outputs for other programs', async () => {
  const body = { name: 'GIS', scopes: ['aircraft', 'features'] };
  const { secret } = await json(201, 'POST', '/api/admin/read-tokens', body);
  await answer(200, 'GET', '/api/admin/read-tokens');
  const headers = { authorization: `Bearer ${secret}` };
  const read = async (path: string, sent: Readonly<Record<string, string>> = headers) => {
    let got = await ask(`${lookout.url}/api/${path}`, { headers: sent });
    for (; got.status === 429; got = await ask(`${lookout.url}/api/${path}`, { headers: sent })) {
      expect(got.json().error.code).toBe('too_many_reads');
      lookout.moveClock(1000);
    }
    expect(got.status, path).toBe(200);
    return got.json();
  };
  for (const path of ['', '/api', '/conformance', '/collections', '/collections/alarms', '/collections/alarms/items'])
    await read(`features${path}`);
  for (const collection of ['zones', 'positions']) {
    const { features } = await read(`features/collections/${collection}/items`);
    expect(features.length).toBeGreaterThan(0);
    await read(`features/collections/${collection}/items/${encodeURIComponent(features[0].id)}`);
  }
  expect((await read('feeds/aircraft.json')).aircraft.length).toBeGreaterThan(0);
  await read('feeds/receiver.json');
  await read(`feeds/${secret}/data/aircraft.json`, {});
  await read(`feeds/${secret}/receiver.json`, {});
});

test('ways to sign in, and the state of the server', async () => {
  await answer(204, 'POST', '/api/account/confirmation', { password: lookout.operator('ada').password });
  await answer(200, 'GET', '/api/account');
  await answer(200, 'DELETE', '/api/admin/people/bo/passkeys');
  await answer(200, 'DELETE', '/api/account/sessions');
  await answer(200, 'GET', '/api/admin/street-map');
  await answer(200, 'GET', '/api/status');
  await answer(200, 'GET', '/readyz');
});

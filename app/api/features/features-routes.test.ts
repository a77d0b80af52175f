import { beforeEach, describe, expect, test } from 'vitest';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { OUTPUTS_AT, servedOutputs } from '#testing/served-outputs.ts';
import { AL, ALPS, addZone, alarm, CORRIDOR, itemsPath, raise } from './feature-data.fixture.ts';

let outputs: Awaited<ReturnType<typeof servedOutputs>>;
let secret: string;
beforeEach(async () => {
  outputs = await servedOutputs();
  secret = await outputs.token();
});

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
    const { features, numberMatched, timeStamp } = await read(itemsPath('positions'));
    expect([numberMatched, timeStamp]).toEqual([1, '2026-11-27T12:00:00.000Z']);
    expect(features[0]).toMatchObject({
      id: 'RX-A-1',
      geometry: { type: 'Point', coordinates: [8.5, 47.5] },
      properties: { altitude_m: null, height_agl_m: 0, simulated: true, test_broadcast: false, stale_after: null },
    });
    expect(await read(`${itemsPath('positions')}/RX-A-1`)).toMatchObject(features[0]);
    expect((await outputs.get(`${itemsPath('positions')}/RX-A-2`, secret)).status).toBe(404);
  });

  test('lists with the positions what is watched, and where no receiver delivers', async () => {
    const since = addMs(OUTPUTS_AT, -60_000);
    outputs.receive('adsb', ALPS, [], { state: 'lost', since, receivers: 1, receiving: 0 });
    outputs.receive('rid', ALPS, []);
    expect(await read(itemsPath('positions'))).toMatchObject({
      numberMatched: 0,
      watched: [{ layer: 'rid', incomplete: null }],
      not_watched: [{ layer: 'adsb', reason: 'receivers_lost', since: '2026-11-27T11:59:00.000Z' }],
    });
    expect(await read(itemsPath('alarms'))).not.toHaveProperty('not_watched');
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
      const { ids, pages } = await idsOfAllPages(itemsPath('positions', `?limit=${limit}`));
      expect([new Set(ids).size, ids.length, pages]).toEqual([25, 25, count]);
    }
  });

  test('serves shared zones only, as areas cut at 180°, and whether each is watched', async () => {
    const shared = await addZone(outputs, {
      name: 'Gate "1"',
      vertical: { field: 'altitude_m', floor_m: 0, ceiling_m: null, unknown: 'flagged' },
    });
    const corridor = await addZone(outputs, { name: 'Corridor', shape: CORRIDOR });
    await outputs.zones.add(AL, newZone({ name: 'Own' }));
    const { features } = await read(itemsPath('zones'));
    expect(new Set(idsIn({ features }))).toEqual(new Set([shared.id, corridor.id]));
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
    expect(idsIn(await read(itemsPath('zones', '?bbox=8.4,47.3,8.6,47.5')))).toEqual([shared.id]);
    expect(idsIn(await read(itemsPath('zones', '?bbox=179,9,-179,11')))).toEqual([corridor.id]);
  });

  test('serves every zone where no sign-in is needed, and so none can be shared', async () => {
    outputs = await servedOutputs({ hasSignIn: false });
    secret = await outputs.token();
    const own = await outputs.zones.add({ ...AL, owner: undefined }, newZone());
    await raise(outputs, [alarm(own.id, 1)]);
    expect(idsIn(await read(itemsPath('zones')))).toEqual([own.id]);
    expect((await read(itemsPath('alarms'))).numberReturned).toBe(1);
  });

  test('serves alarms of shared zones, over pages and times, without names of operators', async () => {
    const { id } = await addZone(outputs, {});
    const own = await outputs.zones.add(AL, newZone({ name: 'Own' }));
    const many = Array.from({ length: 1203 }, (_, number) => alarm(id, number, { test: number === 0 }));
    await raise(outputs, [...many, alarm(own.id, 1), alarm(id, 5000, { evidence: [] })]);
    const all = await idsOfAllPages(itemsPath('alarms'));
    expect([new Set(all.ids).size, all.ids.length, all.pages]).toEqual([1204, 1204, 2]);
    const first = await read(itemsPath('alarms', '?limit=1'));
    expect(first.features[0].properties).toMatchObject({
      zone: 'Runway 14/32',
      kind: 'entered',
      test: true,
      altitude_m: null,
    });
    expect(await read(`${itemsPath('alarms')}/${first.features[0].id}`)).toMatchObject({ id: first.features[0].id });
    const matched = async (query: string) => (await read(itemsPath('alarms', `?limit=10000&${query}`))).numberReturned;
    expect(await matched('datetime=2026-11-27T12:00:00Z')).toBe(1);
    expect(await matched('datetime=2026-11-27T12:00:00Z/2026-11-27T12:00:02Z')).toBe(3);
    expect(await matched('datetime=2026-11-27T12:20:00Z/..')).toBe(4);
    expect(await matched('datetime=../2026-11-27T11:59:59Z')).toBe(0);
    expect(await matched('bbox=8,47,9,48')).toBe(1203);
    expect(await matched('bbox=0,0,1,1')).toBe(0);
  });

  test('opens nothing outside the area of a token', async () => {
    const { id } = await addZone(outputs, {});
    await raise(outputs, [alarm(id, 1)]);
    outputs.receive('adsb', ALPS, [{ ref: 'a' }]);
    const elsewhere = await outputs.token({ area: [0, 0, 1, 1] });
    const here = await outputs.token({ area: [8, 47, 9, 48] });
    for (const collection of ['zones', 'alarms', 'positions']) {
      expect((await read(itemsPath(collection), elsewhere)).features).toEqual([]);
      const [feature] = (await read(itemsPath(collection), here)).features;
      expect((await outputs.get(`${itemsPath(collection)}/${encodeURIComponent(feature.id)}`, elsewhere)).status).toBe(
        404,
      );
    }
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { streetMapSizeSchema, streetMapStateSchema } from '#lib/api/street-map.ts';
import { type ArchiveServer, serveArchive } from '#lib/server/street-map/archive-server.fixture.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { protomapsArchive } from '#testing/region-archive.ts';

let source: ArchiveServer;
let lookout: LookoutHere;
let admin: string;
beforeAll(async () => {
  source = await serveArchive(Buffer.from(protomapsArchive()));
  lookout = await startLookoutHere({
    operators: ['ada', 'otto'],
    roles: { ada: 'admin', otto: 'operator' },
    settings: { MAP_SOURCE_URL: source.url.href },
  });
  admin = await lookout.signIn('ada');
});
afterAll(async () => {
  await lookout.stop();
  await source.close();
});

const AROUND = { lat: 47.46, lon: 8.55, radius_km: 4 };
const call = (method: string, body?: object, cookie = admin) =>
  ask(`${lookout.url}/api/admin/street-map`, {
    method,
    headers: { origin: lookout.url, cookie },
    ...(body && { body }),
  });
const state = async () => streetMapStateSchema.parse(JSON.parse((await call('GET')).text));

test('An admin reads the size, fetches the map and cancels another; both are in the audit log', async () => {
  expect((await state()).state).toBe('idle');
  const measured = await call('POST', { ...AROUND, fetch: false });
  expect(measured.status).toBe(200);
  const { bytes } = streetMapSizeSchema.parse(JSON.parse(measured.text));

  const begun = await call('POST', { ...AROUND, fetch: true });
  expect(begun.status).toBe(202);
  await expect.poll(async () => (await state()).state).toBe('done');
  expect(await state()).toMatchObject({ bytes_done: bytes, problem: null });

  source.behaviour = 'hangs';
  source.ranges.length = 0;
  expect((await call('POST', { ...AROUND, radius_km: 5, fetch: true })).status).toBe(202);
  expectRefusal(await call('POST', { ...AROUND, fetch: false }), 409, 'not_possible');
  expect((await call('DELETE')).status).toBe(204);
  await expect.poll(async () => (await state()).state).toBe('cancelled');
  source.behaviour = 'ranges';

  const { text } = await ask(`${lookout.url}/api/admin/audit`, { headers: { cookie: admin } });
  expect(text).toContain('street_map_requested');
  expect(text).toContain('street_map_cancelled');
  expect(text).toContain(source.url.host);
});

test('Another role is refused, and nothing is requested for it or for a radius beyond the limit', async () => {
  source.ranges.length = 0;
  const operator = await lookout.signIn('otto');
  for (const method of ['GET', 'POST', 'DELETE'])
    expectRefusal(
      await call(method, method === 'POST' ? { ...AROUND, fetch: true } : undefined, operator),
      403,
      'not_permitted',
    );
  expectRefusal(await call('POST', { ...AROUND, radius_km: 101, fetch: true }), 400, 'bad_body');
  expect(source.ranges).toEqual([]);
});

import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '#lib/time/time-units.ts';
import { ask, cookieOf, expectRefusal } from './api-requests.ts';
import { steadyTraffic } from './live-harness.ts';
import { type LookoutHereSetting, startLookoutHere } from './lookout-here.ts';
import { kindOfAddress } from './route-handlers.ts';

async function started(setting?: LookoutHereSetting) {
  const lookout = await startLookoutHere(setting);
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await lookout.stop();
  };
  onTestFinished(stop);
  return { ...lookout, stop };
}

const LIVE = '/api/live?bbox=5,45,11,48&layers=adsb';

test('Shows what the real service has, and a viewer’s change is refused by role', async () => {
  const lookout = await started({ operators: ['anna', 'wall'], roles: { wall: 'viewer' } });
  const [anna, wall] = await Promise.all(lookout.operators.map((account) => cookieOf(lookout, account)));
  const live = await ask(`${lookout.url}${LIVE}`, { headers: { cookie: anna ?? '' } });
  expect(live.json().layers.adsb.records.length).toBeGreaterThan(10);
  expect(lookout.service.requestsFor('live_adsb').length).toBeGreaterThan(0);
  const headers = { cookie: wall ?? '', origin: lookout.url };
  expectRefusal(await ask(`${lookout.url}/api/zones`, { method: 'POST', headers, body: {} }), 403, 'not_permitted');
  expectRefusal(await ask(`${lookout.url}${LIVE}`), 401, 'not_signed_in');
});

test('A second start in the process knows nothing of the first', async () => {
  const first = await started({ operators: ['anna'], settings: { LOG_LEVEL: 'debug' } });
  const [anna] = first.operators;
  if (!anna) throw new Error('no operator');
  const cookie = await cookieOf(first, anna);
  const view = { name: 'Gate', query: '?view=47,8,9' };
  const headers = { cookie, origin: first.url };
  expect((await ask(`${first.url}/api/views`, { method: 'POST', headers, body: view })).status).toBe(201);
  expect(first.log()).toContain('"path":"/api/views"');
  await first.stop();

  const second = await started();
  expect((await ask(`${second.url}/api/views`)).json().views).toEqual([]);
  expect(second.log()).toBe('');
  const { answers } = second.runtime.counts;
  expect(answers).toEqual({ '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0 });
  await expect(startLookoutHere()).rejects.toThrow('stop it first');
});

test('Clocks of the app and of the service move together, and a fault meets later requests', async () => {
  const lookout = await started();
  const { headers, json } = await ask(`${lookout.url}${LIVE}`);
  expect(headers['x-request-id']).toBeDefined();
  lookout.moveClock(3_600_000);
  const later = (await ask(`${lookout.url}/api/status`)).json();
  expect(Date.parse(later.as_of) - Date.parse(json().as_of)).toBeGreaterThanOrEqual(3_600_000);
  lookout.service.breakWith({ kind: 'status', status: 401 });
  expect(lookout.service.requests()).toEqual([]);
  await expect.poll(async () => (await ask(`${lookout.url}${LIVE}`)).json().layers.adsb.reason).toBe('key_refused');
});

test('A track keeps its reference, whatever the time', async () => {
  const lookout = await started({ isClockHeld: true, service: { source: steadyTraffic(3) } });
  const read = async () => {
    const { records, fetched_at: at } = (await ask(`${lookout.url}${LIVE}`)).json().layers.adsb;
    return { at, ids: records.map(({ public_track_id: id }: { readonly public_track_id: string }) => id).sort() };
  };
  const before = await read();
  expect(before.ids).toHaveLength(3);
  lookout.moveClock(DAY_MS);
  await expect.poll(async () => (await read()).at).not.toBe(before.at);
  expect((await read()).ids).toEqual(before.ids);
});

test('Routes are found by the rules of Next, and HEAD and other methods are answered as it does', async () => {
  const lookout = await started();
  const status = async (method: string, path: string) =>
    (await ask(`${lookout.url}${path}`, { method, headers: { origin: lookout.url } })).status;
  expect(await status('GET', '/api/zones/unwatched')).toBe(400);
  expect(await status('GET', '/api/zones/none')).toBe(405);
  expect(await status('GET', '/api/feeds/aircraft.json')).toBe(404);
  expectRefusal(await ask(`${lookout.url}/api/none/at/all`), 404, 'not_found');
  const head = await ask(`${lookout.url}${LIVE}`, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(await status('POST', '/sign-in/oidc')).toBe(405);
  expect((await ask(`${lookout.url}/`)).text).toBe('Pages are not served here.\n');
  expect(['/', '/admin/audit', '/sign-in', '/readyz', '/api', '/nothing'].map(kindOfAddress)).toEqual([
    'page',
    'page',
    'page',
    'other',
    'other',
    'none',
  ]);
});

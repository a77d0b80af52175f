import { afterAll, beforeAll, expect, test } from 'vitest';
import { Receiver } from '#lib/server/delivery/receiver.fixture.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { statusSocketPath } from '#service/receivers/status-socket.ts';
import { openThreeStations } from '#service/receivers/three-stations.fixture.ts';
import { ApiClient } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

let stations: Awaited<ReturnType<typeof openThreeStations>>;
let lookout: LookoutHere;
let hook: Receiver;
beforeAll(async () => {
  hook = await Receiver.open();
  stations = await openThreeStations(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS - 5 * MINUTE_MS);
  lookout = await startLookoutHere({
    operators: ['ada'],
    roles: { ada: 'admin' },
    service: { source: stations.source },
    settings: { RECEIVERS_SOCKET: statusSocketPath(stations.folder), OUTPUT_PRIVATE_ADDRESSES: 'loopback' },
  });
});
afterAll(async () => {
  await lookout.stop();
  await stations.close();
  hook.close();
});

test('Page, view, zone, metric and destination show a deaf station until it hears again', async () => {
  const ada = await ApiClient.signedIn(lookout, 'ada');
  const zone = {
    name: 'Hills',
    shape: { type: 'Circle', centre: [8, 47], radius_m: 5000 },
    vertical: null,
    hours: null,
    rules: [{ kind: 'entered', layers: ['adsb'], simulated: true }],
  };
  expect((await ada.ask('POST', '/api/zones', zone)).status).toBe(201);
  const destination = { name: 'Duty', config: { kind: 'webhook', url: hook.url }, own_receivers: true };
  expect((await ada.ask('POST', '/api/admin/destinations', destination)).status).toBe(201);

  const deaf = async () => {
    const { status } = (await ada.ask('GET', '/api/admin/receivers')).json();
    return status.feeds.flatMap((feed: { id: string; deaf: { share: number } | null }) =>
      feed.deaf ? [[feed.id, feed.deaf.share]] : [],
    );
  };
  const view = async () => {
    const { adsb } = (await ada.ask('GET', '/api/live?bbox=7.5,46.5,8.5,47.5&layers=adsb')).json().layers;
    return adsb.reception;
  };
  const watched = async () => (await ada.ask('GET', '/api/zones')).json().zones[0].watched;
  const metric = async () => /^lookout_receivers\{is="deaf"\} (\d)$/m.exec(await lookout.runtime.metrics.text())?.[1];

  await stations.pass(5 * MINUTE_MS, 1);
  expect(await deaf()).toEqual([]);
  expect(await metric()).toBe('0');
  await stations.pass(65 * MINUTE_MS, 0.1);
  expect(await deaf()).toEqual([['hill', expect.closeTo(0.1, 1)]]);
  expect(await metric()).toBe('1');
  await eventually(async () => expect(await view()).toMatchObject({ state: 'partly', receivers: 3, deaf: 1 }));
  await eventually(async () => expect(JSON.stringify(await watched())).toContain('receivers_partly'));
  const changed = { ...destination, name: 'Duty officer' };
  expect((await ada.ask('POST', '/api/admin/destinations', changed)).status).toBe(201);
  await eventually(() =>
    expect(hook.events.map(({ data }) => data.title)).toContainEqual(
      expect.stringMatching(/^Receiver hill: hears 1\d% of what it usually does$/),
    ),
  );

  await stations.pass(2 * HOUR_MS, 1);
  expect(await deaf()).toEqual([]);
  expect(await metric()).toBe('0');
  await eventually(async () => expect(await view()).toMatchObject({ state: 'ok', receiving: 3 }));
}, 120_000);

import { beforeEach, describe, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { isMissing } from '#testing/missing-package.ts';
import { startMosquitto, subscribeAll } from '#testing/mosquitto.ts';
import { startSmtpServer } from '#testing/smtp-server.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { OPENED_AT } from '../zones/alarms/transition.fixture.ts';
import { Receiver } from './receiver.fixture.ts';
import { al, opened, RunningDelivery } from './running-delivery.fixture.ts';

let running: RunningDelivery;
const endings: (() => unknown)[] = [];
beforeEach(async () => {
  const database = await memoryDatabase();
  running = new RunningDelivery(database);
  return async () => {
    await running.close();
    await database.close();
    for (const end of endings.splice(0).reverse()) await end();
  };
});

const delivered = async (id: string) =>
  (await running.deliveries.ofDestination(id)).map(({ type, alarms, state }) => `${type} ${alarms} ${state}`);

test('an alarm, its end and a trial arrive through ntfy', async () => {
  const receiver = await Receiver.open();
  endings.push(() => receiver.close());
  receiver.answer = (response) => void response.writeHead(200).end('{"id":"xE73Iyuabi","event":"message"}');
  const { id } = await running.add({ kind: 'ntfy', url: `${receiver.url}/alarms` }, { secret: 'tk_token' });
  const { of } = await running.addZone({ notify: [id] }, 'Gate');
  await running.commit(of());
  await running.pass();
  await running.commit(of({ type: 'ended', at: addMs(OPENED_AT, 30_000), end: 'lost' }));
  await running.pass(2 * MINUTE_MS);
  await running.destinations.sendTrial(id, undefined);
  await running.pass();
  expect(receiver.received.map(({ body }) => JSON.parse(body).title)).toEqual([
    'Drone a in Gate',
    'Ended, no longer received: Drone a, Gate',
    'TRIAL · Notices of Lookout arrive here',
  ]);
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer tk_token');
  expect(await delivered(id)).toEqual(['trial 0 arrived', 'ended 1 arrived', 'opened 1 arrived']);
});

describe.skipIf(isMissing('python3-aiosmtpd'))('by mail', () => {
  test('a group arrives as one mail', async () => {
    const server = await startSmtpServer('none');
    endings.push(() => server.stop());
    const mail = { kind: 'mail', host: '127.0.0.1', port: server.port, security: 'none' };
    const to = { from: 'lookout@example.org', to: ['tower@example.org'] };
    const { id } = await running.add({ ...mail, ...to }, { group_s: 60, time_zone: 'Europe/Zurich' });
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(...opened(of, 42));
    await running.pass();
    await running.pass(61_000);
    expect(await delivered(id)).toEqual(['opened 42 arrived']);
    await eventually(() => expect(server.received).toHaveLength(1));
    const [{ headers, text }] = server.received as [(typeof server.received)[0]];
    expect(Object.fromEntries(headers).Subject).toBe('Drone 0 in Runway 14, and 41 more in Runway 14');
    expect(text).toContain('And 22 more in Runway 14, not listed here.');
    expect(text).toContain('Europe/Zurich');
  });
});

describe.skipIf(isMissing('mosquitto'))('through MQTT', () => {
  test('an alarm arrives, and the device of its zone goes with the rule and the destination', async () => {
    const broker = await startMosquitto();
    endings.push(() => broker.kill());
    const subscriber = await subscribeAll(broker.port);
    endings.push(() => subscriber.end());
    const { id } = await running.add({ kind: 'mqtt', url: `mqtt://127.0.0.1:${broker.port}` });
    const { id: zone, of } = await running.addZone({ notify: [id] });
    const { of: ofGate } = await running.addZone({ notify: [id] }, 'Gate');
    await running.commit(of({ simulated: true }), ofGate({ key: 'gate' }));
    await running.pass();
    expect(await delivered(id)).toEqual(['opened 1 arrived', 'opened 1 arrived']);
    const { retained, received } = subscriber;
    const devices = () => [...retained.keys()].filter((topic) => topic.startsWith('homeassistant/'));
    await eventually(() => expect(devices()).toHaveLength(2));
    expect(
      received.some((each) => each.startsWith('lookout/alarms ') && each.includes('SIM · Drone a in Runway 14')),
    ).toBe(true);
    // Nothing has watched the zone: it must not be OFF.
    const state = JSON.parse(retained.get(`lookout/zone/${zone}/state`) ?? '');
    expect(state).toMatchObject({ occupied: null, open_alarms: null, watched: 'not_now', simulated: 1 });
    await running.zones.remove(al, zone);
    await eventually(() => expect(devices()).toHaveLength(1));
    await running.destinations.remove(id);
    await running.pass();
    await eventually(() => expect([...retained.keys()]).toEqual(['lookout/alarms', 'lookout/status']));
    expect(retained.get('lookout/status')).toBe('offline');
  });
});

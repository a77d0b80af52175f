import { afterAll, afterEach, expect, test } from 'vitest';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';
import { listenForCot, makeAuthority } from './senders/tak-listener.fixture.ts';

const authority = makeAuthority();
const client = authority.sign('DNS:lookout');
const server = authority.sign('IP:127.0.0.1');
afterAll(() => authority.end());

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function tak(port: number) {
  const config = {
    kind: 'cot',
    host: '127.0.0.1',
    port,
    positions: { layers: ['rid'] },
    ca_pem: authority.cert,
    certificate_pem: client.cert,
  };
  return newDestinationSchema.parse({ name: 'TAK', config, secret: client.key });
}

test('shows that a TAK server is lost without a notice to it, until it is back', async () => {
  const running = new RunningDelivery(await memoryDatabase());
  endings.push(() => running.close());
  const first = await listenForCot({ ...server, ca: authority.cert });
  await first.close();
  await running.destinations.add(tak(first.port));
  const shows = (problem: object | null) =>
    eventually(async () => {
      await running.pass();
      expect(await running.destinations.list()).toMatchObject([{ problem }]);
    });
  const since = formatInstant(running.now);
  await shows({ since, text: 'Nothing listens there.' });
  const second = await listenForCot({ ...server, ca: authority.cert, port: first.port });
  endings.push(() => second.close());
  await shows(null);
});

test('an alarm that nothing is received stands at the centre of its zone', async () => {
  const running = new RunningDelivery(await memoryDatabase());
  endings.push(() => running.close());
  const listener = await listenForCot({ ...server, ca: authority.cert });
  endings.push(() => listener.close());
  const { destination } = await running.destinations.add(tak(listener.port));
  const { of } = await running.addZone({ notify: [destination.id] });
  await running.commit(of({ kind: 'nothing_received', ref: undefined, evidence: [] }));
  const alarm = await eventually(async () => {
    await running.pass(MINUTE_MS);
    const received = listener.events.find(({ attributes }) => attributes.type === 'b-a');
    expect(received).toBeDefined();
    return received;
  });
  expect(alarm?.point).toMatchObject({ lat: '47.4', lon: '8.5', ce: '9999999' });
});

test('delivers an alarm and a trial to a TAK server, and retries while it is away', async () => {
  const running = new RunningDelivery(await memoryDatabase());
  endings.push(() => running.close());
  const first = await listenForCot({ ...server, ca: authority.cert });
  const { destination } = await running.destinations.add(tak(first.port));
  await first.close();
  const { of } = await running.addZone({ notify: [destination.id] });
  await running.commit(of({ key: '1', ref: 'RX-D-0000000000000001' }));
  await running.pass();
  const states = async () =>
    (await running.deliveries.ofDestination(destination.id)).map(({ type, state }) => `${type} ${state}`).toReversed();
  const [waiting] = await running.deliveries.ofDestination(destination.id);
  expect(waiting).toMatchObject({ state: 'waiting', problem: 'Nothing listens there.' });
  const second = await listenForCot({ ...server, ca: authority.cert, port: first.port });
  endings.push(() => second.close());
  const arrives = (expected: readonly string[]) =>
    eventually(async () => {
      await running.pass(MINUTE_MS);
      expect(await states()).toEqual(expected);
    });
  await arrives(['opened arrived']);
  await running.destinations.sendTrial(destination.id, undefined);
  await arrives(['opened arrived', 'trial arrived']);
  const received = second.events.filter(({ attributes }) => attributes.type?.startsWith('b-a'));
  expect(received.map(({ callsign }) => callsign)).toEqual([
    'Drone 00001 in Runway 14',
    'TRIAL · Notices of Lookout arrive here',
  ]);
  expect(received[0]?.detail.link?.uid).toBe('RX-D-0000000000000001');
});

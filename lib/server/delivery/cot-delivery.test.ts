import { afterAll, afterEach, expect, test } from 'vitest';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';
import { listenForCot, makeAuthority } from './senders/cot/tak-listener.fixture.ts';

const authority = makeAuthority();
const client = authority.sign('DNS:lookout');
const server = authority.sign('IP:127.0.0.1');
afterAll(() => authority.end());

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

test('delivers an alarm and a trial to a TAK server, and retries while it is away', async () => {
  const running = new RunningDelivery(await memoryDatabase());
  endings.push(() => running.close());
  const first = await listenForCot({ ...server, ca: authority.cert });
  const config = {
    ...{ kind: 'cot', host: '127.0.0.1', port: first.port },
    ...{ ca_pem: authority.cert, certificate_pem: client.cert },
  };
  const body = newDestinationSchema.parse({ name: 'TAK', config, secret: client.key });
  const { destination } = await running.destinations.add(body);
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
  await running.destinations.sendTrial(destination.id);
  await arrives(['opened arrived', 'trial arrived']);
  const received = second.events.filter(({ attributes }) => attributes.type?.startsWith('b-a'));
  expect(received.map(({ callsign }) => callsign)).toEqual([
    'Runway 14: Entered',
    'TRIAL · Notices of Lookout arrive here',
  ]);
  expect(received[0]?.detail.link?.uid).toBe('RX-D-0000000000000001');
});

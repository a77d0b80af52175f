import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import type { AnnouncedZone } from '#lib/outputs/mqtt-messages.ts';
import { noticeOf, PERMITTED, PERMITTED_LINES } from '#lib/outputs/notice.fixture.ts';
import { zoneStateOf } from '#lib/outputs/zone-state.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { isMissing } from '#testing/missing-package.ts';
import { type MosquittoOptions, startMosquitto, subscribeAll } from '#testing/mosquitto.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { openGuard } from '../guard.ts';
import { openMqtt } from './mqtt.ts';
import { depsOf } from './sender-deps.fixture.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const DESTINATION = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01';
const RUNWAY = zoneStateOf({ name: 'Runway 14/32' });
const GATE = zoneStateOf({ id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a02', name: 'Gate' });
const DEVICE = `homeassistant/device/lookout_${RUNWAY.id}/config`;
const STATE = `lookout/zone/${RUNWAY.id}/state`;

/** Zones that a test changes. */
class ChangingZones {
  readonly #listeners = new Set<() => void>();
  #states: readonly AnnouncedZone[] | Error;

  constructor(states: readonly AnnouncedZone[]) {
    this.#states = states;
  }

  set(states: readonly AnnouncedZone[] | Error): void {
    this.#states = states;
    for (const listener of this.#listeners) listener();
  }

  async read(): Promise<readonly AnnouncedZone[]> {
    if (this.#states instanceof Error) throw this.#states;
    return this.#states;
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
}

interface Opened extends Partial<ConfigOf<'mqtt'>> {
  readonly zones?: ChangingZones;
  readonly destinationId?: string;
  readonly listed?: readonly string[];
}

function open(port: number, opened: Opened = {}, password = 'right') {
  const { zones = new ChangingZones([RUNWAY]), destinationId = DESTINATION, listed = ['loopback'], ...config } = opened;
  // As DNS would answer for the name of the broker. Nothing listens at its first address.
  const guard = openGuard(listed, async () => [{ address: '::1' }, { address: '127.0.0.1' }]);
  const common = { kind: 'mqtt', user: '', topic: 'lookout', discovery_topic: 'homeassistant', ca_pem: '' } as const;
  const wanted = { ...common, url: `mqtt://broker.test:${port}`, ...config };
  const sender = openMqtt(destinationId, wanted, password, depsOf(guard, zones));
  endings.push(
    () => guard.close(),
    () => sender.close(),
  );
  return {
    zones,
    problem: () => sender.problem,
    close: () => sender.close(),
    send: (notice = noticeOf(), signal = new AbortController().signal) => sender.send(notice, signal),
  };
}

describe.skipIf(isMissing('mosquitto'))('with mosquitto', () => {
  async function start(options: MosquittoOptions = {}) {
    const broker = await startMosquitto(options);
    endings.push(() => broker.kill());
    return broker;
  }

  async function subscribe(...target: Parameters<typeof subscribeAll>) {
    const subscriber = await subscribeAll(...target);
    endings.push(() => subscriber.end());
    return subscriber;
  }

  test('a notice arrives as JSON once the broker acknowledged it', async () => {
    const { port } = await start();
    const { received } = await subscribe(port);
    await open(port).send(noticeOf({}, { simulated: true, ...PERMITTED }));
    const message = await eventually(() => {
      const found = received.find((each) => each.startsWith('lookout/alarms '));
      expect(found).toBeDefined();
      return JSON.parse(found?.slice('lookout/alarms '.length) ?? '');
    });
    expect(message).toMatchObject({
      id: noticeOf().id,
      type: 'opened',
      title: 'SIM · Drone 00001 in Runway 14/32',
      body: expect.stringContaining(`SIM · ${PERMITTED_LINES}\n`),
      simulated: true,
      test: false,
      alarms: [
        { zone: { name: 'Runway 14/32' }, place: { from: 'landmark', name: '14/32' }, permit: PERMITTED.permit },
      ],
    });
  });

  test('keeps a device for each zone, its state, and whether Lookout is there', async () => {
    const { port } = await start();
    const { zones } = open(port, { zones: new ChangingZones([RUNWAY, GATE]) });
    const { retained } = await subscribe(port);
    await eventually(() => expect(retained.get('lookout/status')).toBe('online'));
    const devices = () => [...retained.keys()].filter((topic) => topic.startsWith('homeassistant/'));
    await eventually(() => expect(devices()).toHaveLength(2));
    expect(JSON.parse(retained.get(DEVICE) ?? '')).toMatchObject({ device: { name: 'Runway 14/32' } });
    await eventually(() =>
      expect(JSON.parse(retained.get(STATE) ?? '')).toMatchObject({ occupied: 'OFF', open_alarms: 0 }),
    );
    const open_ = [{ kind: 'entered', simulated: false, test: false, expected: false, count: 2 }] as const;
    zones.set([{ ...RUNWAY, open: open_ }, GATE]);
    await eventually(() => expect(JSON.parse(retained.get(STATE) ?? '')).toMatchObject({ occupied: 'ON' }));
    zones.set([{ ...RUNWAY, watched: 'not_watched' }, GATE]);
    await eventually(() =>
      expect(JSON.parse(retained.get(STATE) ?? '')).toMatchObject({ occupied: null, open_alarms: null }),
    );
    await eventually(() => expect(retained.get(`lookout/zone/${RUNWAY.id}/availability`)).toBe('offline'));
    expect(retained.get(`lookout/zone/${GATE.id}/availability`)).toBe('online');
  });

  test('removes the device of a zone that is gone, also one of an earlier run', async () => {
    const { port } = await start();
    const { zones, close } = open(port, { zones: new ChangingZones([RUNWAY, GATE]) });
    const { retained } = await subscribe(port);
    await eventually(() => expect(retained.size).toBe(7));
    zones.set([RUNWAY]);
    await eventually(() => expect([...retained.keys()].filter((topic) => topic.includes(GATE.id))).toEqual([]));
    await close();
    open(port, { zones: new ChangingZones([GATE]) });
    await eventually(() => {
      expect([...retained.keys()].filter((topic) => topic.includes(RUNWAY.id))).toEqual([]);
      expect([...retained.keys()].filter((topic) => topic.includes(GATE.id))).toHaveLength(3);
    });
  });

  test('takes its devices along when the destination is removed', async () => {
    const { port } = await start();
    const { zones, close } = open(port);
    const { retained } = await subscribe(port);
    await eventually(() => expect(retained.size).toBe(4));
    zones.set([]);
    await close();
    await eventually(() => expect([...retained]).toEqual([['lookout/status', 'offline']]));
  });

  test('keeps the devices of another destination on the same topic', async () => {
    const { port } = await start();
    const { retained } = await subscribe(port);
    const other = open(port, { destinationId: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d99' });
    await eventually(() => expect(retained.has(DEVICE)).toBe(true));
    open(port, { zones: new ChangingZones([GATE]) });
    await eventually(() => expect([...retained.keys()].filter((topic) => topic.includes(GATE.id))).toHaveLength(3));
    expect(retained.has(DEVICE)).toBe(true);
    await other.close();
  });

  test('is offline by its last will, when it ends, and while it cannot know', async () => {
    const { port } = await start();
    const { zones, close } = open(port);
    const { retained } = await subscribe(port);
    const status = (expected: string) => eventually(() => expect(retained.get('lookout/status')).toBe(expected));
    await status('online');
    zones.set(new Error('the database is lost'));
    await status('offline');
    zones.set([RUNWAY]);
    await status('online');
    await close();
    await status('offline');
    // Another server, whose connection is then taken over: the broker publishes the last will of the first.
    open(port);
    await status('online');
    const { received } = await subscribe(port);
    open(port);
    await eventually(() => expect(received.filter((each) => each === 'lookout/status offline')).toHaveLength(1));
    await status('online');
  });

  test.each([
    ['homeassistant/status', 'homeassistant'],
    ['ha/status', 'ha'],
    ['homeassistant/status', 'ha'],
  ])(
    'publishes everything again when Home Assistant starts (%s, discovery at %s)',
    async (birthTopic, discovery_topic) => {
      const { port } = await start();
      open(port, { discovery_topic });
      const { received, retained } = await subscribe(port);
      await eventually(() => expect(retained.get('lookout/status')).toBe('online'));
      const topics = [...retained.keys()];
      expect(topics).toHaveLength(4);
      // Another program has removed what the broker kept.
      const homeAssistant = await connectAsync(`mqtt://127.0.0.1:${port}`);
      endings.push(() => homeAssistant.endAsync());
      for (const topic of topics) await homeAssistant.publishAsync(topic, '', { retain: true, qos: 1 });
      await eventually(() => expect(retained.size).toBe(0));
      await homeAssistant.publishAsync(birthTopic, 'offline', { qos: 1 });
      const before = received.length;
      await homeAssistant.publishAsync(birthTopic, 'online', { qos: 1 });
      await eventually(() => expect([...retained.keys()]).toEqual(expect.arrayContaining(topics)));
      const again = received.slice(before).map((each) => each.split(' ')[0] ?? '');
      const known = again.filter((topic) => topics.includes(topic));
      // The device first: Home Assistant then subscribes to its topics.
      expect(known[0]).toBe(`${discovery_topic}/device/lookout_${RUNWAY.id}/config`);
      expect(known.at(-1)).toBe('lookout/status');
    },
  );

  test('publishes everything again to a broker that lost it', async () => {
    const broker = await start();
    const { send } = open(broker.port);
    await send();
    await broker.kill();
    await expect(send()).rejects.toMatchObject({ kind: expect.stringMatching(/^(retry|failed)$/) });
    await start({ port: broker.port });
    await eventually(() => send());
    const { retained } = await subscribe(broker.port);
    await eventually(() => expect(retained.size).toBe(4));
  });

  test('reports a lost connection without a notice, and its return', async () => {
    const broker = await start();
    const { problem } = open(broker.port);
    await eventually(() => expect(problem()).toBeNull());
    await broker.kill();
    await eventually(() => expect(problem()).toMatch(/closed the connection|Nothing listens there/));
    await start({ port: broker.port });
    await eventually(() => expect(problem()).toBeNull());
  });

  test('sends user and password, and reports their refusal without them', async () => {
    const { port } = await start({ user: 'lookout' });
    await open(port, { user: 'lookout' }).send();
    await expect(open(port, { user: 'lookout' }, 'hunter2').send()).rejects.toMatchObject({
      kind: 'retry',
      message: 'The broker refuses the user or the password.',
    });
  });

  test('trusts the given authority alone, for the name of the broker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-mqtt-'));
    endings.push(() => rmSync(folder, { recursive: true }));
    const tls = selfSigned(folder, 'DNS:broker.test');
    const { port } = await start({ tls });
    await open(port, { url: `mqtts://broker.test:${port}`, ca_pem: tls.pem }).send();
    await expect(open(port, { url: `mqtts://broker.test:${port}` }).send()).rejects.toMatchObject({
      message: 'Its certificate is self-signed.',
    });
    await expect(open(port, { url: `mqtts://other.test:${port}`, ca_pem: tls.pem }).send()).rejects.toMatchObject({
      message: 'Its certificate is for another name.',
    });
  });
});

async function listen(answer: Uint8Array): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const CONNACK = Uint8Array.from([0x20, 2, 0, 0]);

test('a notice has not arrived at a broker that acknowledges nothing', async () => {
  const { send } = open(await listen(CONNACK));
  await expect(send(noticeOf(), AbortSignal.timeout(200))).rejects.toMatchObject({ kind: 'retry' });
});

test('a broker that ends the connection at a notice may refuse this one alone', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(CONNACK);
      socket.on('data', (data) => data.includes('lookout/alarms') && socket.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => server.close());
  const { send } = open((server.address() as AddressInfo).port, { zones: new ChangingZones([]) });
  await expect(send()).rejects.toMatchObject({ kind: 'failed', message: 'The broker closed the connection.' });
});

test.each([
  [1, 'retry', /code 1/],
  [2, 'retry', /code 2/],
  [3, 'retry', /code 3/],
  [5, 'retry', /user or the password/],
])('a connection that is refused with code %d is tried again', async (code, kind, message) => {
  const { send } = open(await listen(Uint8Array.from([0x20, 2, 0, code])));
  await expect(send()).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
});

test('ends at a broker that is not there, or sends too much', async () => {
  await expect(open(1).send()).rejects.toMatchObject({ message: 'Nothing listens there.' });
  const huge = Buffer.concat([CONNACK, Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(2_000_000)]);
  await expect(open(await listen(huge)).send()).rejects.toMatchObject({
    message: 'The broker sent a packet of more than 1 MiB.',
  });
});

test('does not reach a private address that is not listed', async () => {
  const { send } = open(1, { listed: [] });
  await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('OUTPUT_PRIVATE_ADDRESSES') });
});

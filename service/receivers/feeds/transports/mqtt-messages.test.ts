import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AuthenticateError } from 'aedes';
import { afterEach, expect, test } from 'vitest';
import { resolveName, SECOND_ANSWERS } from '#testing/resolve-name.ts';
import type { Connection } from '../feed.ts';
import { fastSurroundings, impatientSurroundings, makeRecordedInlet } from '../recorded-inlet.fixture.ts';
import { type MqttOptions, mqttMessages } from './mqtt-messages.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function listen(server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function broker(port = 0) {
  const aedes = await Aedes.createBroker();
  cleanUps.push(() => new Promise<void>((resolve) => aedes.close(() => resolve())));
  const publish = (topic: string, payload: string | Buffer, retain = false) =>
    new Promise<void>((resolve, reject) =>
      aedes.publish({ cmd: 'publish', qos: 0, dup: false, topic, payload, retain }, (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  return { aedes, publish, port: await listen(createServer(aedes.handle), port) };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lookout-mqtt-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  return folder;
}

function subscribe(port: number, options: Partial<MqttOptions> = {}, surroundings = fastSurroundings) {
  const recorded = makeRecordedInlet();
  const connection: Connection = mqttMessages({ host: '127.0.0.1', port, topic: '#', ...options })(
    recorded.inlet,
    surroundings,
  );
  cleanUps.push(() => connection.close());
  return { ...recorded, connection };
}

test('subscribes at the address of a name that answers', async () => {
  const { port } = await broker();
  const restore = resolveName('broker.test', SECOND_ANSWERS);
  const { until } = subscribe(port, { host: 'broker.test' });
  expect(await until('connected').finally(restore)).toEqual(['connected']);
});

test('hands in the messages of its topic only', async () => {
  const { publish, port } = await broker();
  const { until } = subscribe(port, { topic: 'sensors/+/upload' });
  await until('connected');
  await publish('sensors/roof/status', 'not asked for');
  await publish('sensors/roof/upload', 'one');
  await publish('sensors/hill/upload', 'two');
  expect(await until('message two')).toEqual(['message one', 'message two']);
});

test('hands in a beacon without its payload, also if the broker refuses others', async () => {
  const { aedes, publish, port } = await broker();
  aedes.authorizeSubscribe = (_client, subscription, done) =>
    done(null, subscription.topic === 'kits/refused' ? null : subscription);
  const beacons = { topics: ['kits/refused', 'kits/+/state'], pattern: /^kits\/[^/]+\/state$/ };
  const { until } = subscribe(port, { topic: 'drones', beacons });
  await until('connected');
  // Its subscription follows.
  const timer = setInterval(() => void publish('kits/roof/state', 'the place of the kit'), 20);
  cleanUps.push(async () => clearInterval(timer));
  expect(await until('beacon')).toEqual(['beacon']);
  await publish('drones', 'one');
  expect(await until('message one')).not.toContain('message the place of the kit');
});

test('drops retained messages', async () => {
  const { publish, port } = await broker();
  await publish('wardragon/drones', 'of yesterday', true);
  const { until } = subscribe(port);
  await until('connected');
  await publish('wardragon/drones', 'of now', true);
  expect(await until('message of now')).toEqual(['message of now']);
});

test('retries a broker that is down', async () => {
  const first = await broker();
  const { until } = subscribe(first.port);
  await until('connected');
  for (const cleanUp of cleanUps.splice(0, 2).reverse()) await cleanUp();
  await until('lost nothing listens there');
  const second = await broker(first.port);
  await until('connected');
  await second.publish('any', 'again');
  await until('message again');
});

test('sends user and password, and reports their refusal', async () => {
  const { aedes, port } = await broker();
  aedes.authenticate = (_client, username, password, done) => {
    const isRight = username === 'lookout' && password?.toString() === 'right';
    const refusal = Object.assign(new Error('refused'), { returnCode: 4 }) as AuthenticateError;
    done(isRight ? null : refusal, isRight);
  };
  const anonymous = subscribe(port);
  await anonymous.until('lost it requires a user and password, or refuses these');
  const passwordFile = join(await makeFolder(), 'password');
  const named = subscribe(port, { username: 'lookout', passwordFile });
  await named.until('lost a file of its settings: no such file');
  await writeFile(passwordFile, 'right\n');
  await named.until('connected');
});

test('reports a refused topic', async () => {
  const { aedes, port } = await broker();
  aedes.authorizeSubscribe = (_client, _subscription, done) => done(null, null);
  await subscribe(port).until('lost the broker refuses the topic');
});

test('closes the connection at the start of a message that is too long', async () => {
  const { publish, port } = await broker();
  const { until } = subscribe(port);
  await until('connected');
  await publish('any', Buffer.alloc(1_000_000));
  await publish('any', Buffer.alloc(5_000_000));
  const events = await until('lost it sent a message of more than 1 MiB');
  expect(events.slice(1)).toEqual(['refuse too_long', 'lost it sent a message of more than 1 MiB']);
  await until('connected');
});

test('closes a connection that floods, and reconnects', async () => {
  const { publish, port } = await broker();
  const at = fastSurroundings.now();
  const { until } = subscribe(port, {}, { ...fastSurroundings, now: () => at });
  await until('connected');
  for (let message = 0; message < 12; message += 1) await publish('any', Buffer.alloc(1_000_000));
  const events = await until('lost it sent more than 8 MiB within a second');
  expect(events.at(-2)).toBe('refuse flood');
  await until('connected');
});

test.each([
  ['says nothing', (_: Socket) => {}, 'lost no answer within 10 s'],
  ['speaks something else', (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), /^lost /],
  ['hangs up', (socket: Socket) => socket.end(), /^lost /],
])('reports a server that %s as no broker', async (_, answer, expected) => {
  const port = await listen(createServer(answer));
  const { events, until } = subscribe(port, {}, impatientSurroundings);
  if (typeof expected === 'string') await until(expected);
  else while (!events.some((line) => expected.test(line))) await new Promise((resolve) => setImmediate(resolve));
  expect(events).not.toContain('connected');
});

test('refuses an untrusted certificate, and accepts one from ca_file', async () => {
  const folder = await makeFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=broker', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', [...args, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const { aedes, publish } = await broker();
  const options = { key: await readFile(key), cert: await readFile(certificate) };
  const port = await listen(createTlsServer(options, aedes.handle));
  await subscribe(port, { tls: { caFile: undefined } }).until('lost its certificate is self-signed');
  const { until } = subscribe(port, { tls: { caFile: certificate } });
  await until('connected');
  await publish('any', 'sealed');
  await until('message sealed');
});

test('reports nothing and leaves no connection once closed', async () => {
  const { aedes, publish, port } = await broker();
  const { until, events, connection } = subscribe(port);
  await until('connected');
  await connection.close();
  await publish('any', 'late');
  while (aedes.connectedClients > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
});

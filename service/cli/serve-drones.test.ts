import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { Aedes } from 'aedes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { eventually } from '#testing/eventually.ts';
import { dronescoutPayload, type SensorReception } from '../receivers/parsers/dronescout-payload.fixture.ts';
import { odidStruct, type SaidByDrone } from '../receivers/parsers/odid-struct.fixture.ts';
import { runFeedsCommand, runStationKeyCommand } from './receiver-commands.ts';
import { endProcesses, run } from './service-process.fixture.ts';

let folder: string;
let broker: Aedes;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-drones-test-'));
  broker = await Aedes.createBroker();
  server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  endProcesses();
  await new Promise<void>((resolve) => broker.close(() => resolve()));
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

const SERIAL = '1581F5BKD2290000TEST';
const OPERATOR = { lat: 46.987_612_3, lon: 7.612_345_9, altitudeM: 431.5 };
const OPERATOR_ID = 'CHEab12cd34ef56g';
const MACS = ['DF:72:11:0A:0B:0C', '7E:60:B8:0A:0B:0D', '7A:60:B8:0A:0B:0E'] as const;

function said(agoMs: number): SaidByDrone {
  const at = Date.now() - agoMs;
  const sinceHourS = Math.floor((at % 3_600_000) / 100) / 10;
  return {
    basicIds: [{ idType: 1, id: SERIAL }],
    location: { lat: 47.25 - agoMs / 1e7, lon: 8.5, status: 2, altitudeGeoM: 540, speedMps: 3, sinceHourS },
    selfId: 'Survey of the roof',
    operator: OPERATOR,
    operatorId: OPERATOR_ID,
  };
}

/** As text, floating point, and whole numbers of a part of a degree. */
function spellings(degrees: number): Buffer[] {
  const made = [Buffer.from(degrees.toFixed(7).slice(0, -3))];
  const number = (size: number, write: (bytes: Buffer) => void) => {
    const bytes = Buffer.alloc(size);
    write(bytes);
    made.push(bytes, Buffer.from(bytes).reverse());
  };
  number(8, (bytes) => bytes.writeDoubleLE(degrees));
  number(4, (bytes) => bytes.writeFloatLE(degrees));
  for (const steps of [2 ** 31 / 180, 1e7, 1e6, 1e5])
    number(4, (bytes) => bytes.writeInt32LE(Math.round(degrees * steps)));
  return made;
}

const SECRETS = [
  ...[OPERATOR.lat, OPERATOR.lon].flatMap(spellings),
  ...[SERIAL, OPERATOR_ID, 'Survey of', ...MACS, ...MACS.map((mac) => mac.replaceAll(':', ''))].flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text.toLowerCase()),
    Buffer.from(Buffer.from(text).toString('base64').slice(0, -4)),
  ]),
];

const holdsSecret = (bytes: Uint8Array) => SECRETS.some((secret) => Buffer.from(bytes).includes(secret));

async function unpacked(bytes: Buffer): Promise<Buffer[]> {
  const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const parts: Buffer[] = [];
  for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    const stream = createZstdDecompress();
    stream.on('data', (chunk: Buffer) => parts.push(chunk));
    const ended = new Promise((resolve) => stream.once('close', resolve).once('error', resolve).once('end', resolve));
    stream.end(bytes.subarray(at));
    await ended;
  }
  return parts;
}

async function filesIn(path: string): Promise<Buffer[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
  );
}

test('a drone over Bluetooth, beacon and NaN is one mark, and its operator’s place is nowhere', async () => {
  const data = join(folder, 'data');
  const feeds = join(folder, 'feeds.json');
  const key = runStationKeyCommand(['--json']);
  const { station_key, key_sha256 } = JSON.parse(key.ok ? key.output : '');
  const { port } = server.address() as { port: number };
  const written = [
    { id: 'scout', url: `dronescout+mqtt://127.0.0.1:${port}` },
    { id: 'hill', url: 'push://hill', key_sha256 },
  ];
  await writeFile(feeds, JSON.stringify({ feeds: written }));
  const { child, ready, ended } = run([
    'serve',
    '--port',
    '0',
    '--push-port',
    '0',
    '--data',
    data,
    '--feeds',
    feeds,
    '--one-key',
  ]);
  const { base_url, push_url, api_key } = await ready;
  const readyAt = Date.now();
  await eventually(() => expect(broker.connectedClients).toBe(1));
  const untilReported = (expected: RegExp) =>
    eventually(async () => {
      const reported = await runFeedsCommand(['--data', data]);
      expect(reported.ok && reported.output).toMatch(expected);
    });
  await untilReported(/^scout +silent/m);

  const publish = (what: SaidByDrone, how: SensorReception) => {
    const payload = dronescoutPayload(what, { timestamp: Date.now(), ...how });
    broker.publish({ cmd: 'publish', qos: 0, dup: false, retain: false, topic: 'sensor/upload', payload }, () => {});
  };
  await eventually(() => expect(Date.now() - readyAt).toBeGreaterThan(1000));
  for (const agoMs of [800, 400, 0]) {
    // Once: its time is in tenths of a second, and each that turns meanwhile would be another position.
    const all = said(agoMs);
    const { location, basicIds, ...others } = all;
    publish({ ...others, location }, { mac: MACS[0], transport: 'BLE legacy' });
    publish({ ...others, ...(basicIds && { basicIds }) }, { mac: MACS[0], transport: 'BLE legacy' });
    publish(all, { mac: MACS[1], transport: 'WiFi beacon' });
    publish(all, { mac: MACS[2], transport: 'WiFi NaN' });
  }
  await untilReported(/^scout +receiving +9 /m);
  const row = {
    serial_number: SERIAL,
    mac_address: MACS[0],
    longitude: 8.5,
    latitude: 47.25,
    operator_id: OPERATOR_ID,
    operator_latitude: OPERATOR.lat,
    operator_longitude: OPERATOR.lon,
    observed_at: new Date().toISOString(),
  };
  const pushed = await fetch(push_url, {
    method: 'POST',
    headers: { authorization: `Bearer ${station_key}` },
    body: JSON.stringify([row]),
  });
  expect(await pushed.json()).toMatchObject({ received: 1, refused: {} });

  const ask = async (path: string) => {
    const answer = await fetch(base_url + path, { headers: { authorization: `Bearer ${api_key}` } });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return text;
  };
  const positionsIn = (text: string): readonly WirePosition[] => JSON.parse(text).data;
  const live = await eventually(async () => {
    const text = await ask('/live/rid?bbox=8,47,9,48');
    expect(positionsIn(text)).toHaveLength(1);
    return text;
  });
  // By the service's clock, for which ours may be in the future.
  const end: string = JSON.parse(live).generated_at;
  const window = `start=${new Date(Date.parse(end) - 60_000).toISOString()}&end=${end}`;
  const history = await ask(`/history/rid?bbox=8,47,9,48&${window}`);
  const past = positionsIn(history);
  expect(past.length).toBeGreaterThanOrEqual(3);
  expect(past.length).toBeLessThanOrEqual(4);
  expect(new Set(past.map(({ public_track_id }) => public_track_id)).size).toBe(1);
  expect(past.map(({ simulated, test_broadcast }) => [simulated, test_broadcast])).toEqual(
    past.map(() => [false, false]),
  );
  const reported = await runFeedsCommand(['--data', data, '--json']);
  expect(reported.ok && JSON.parse(reported.output)).toMatchObject({
    feeds: [
      { id: 'scout', state: 'receiving', refused: { no_position: 3 } },
      { id: 'hill', state: 'receiving', refused: {} },
    ],
  });
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);

  // Proves that the search would find it.
  expect(holdsSecret(odidStruct(said(0)))).toBe(true);
  expect(holdsSecret(Buffer.from(JSON.stringify(row)))).toBe(true);
  const files = await filesIn(data);
  const inside = await Promise.all(files.map(unpacked));
  expect(inside.flat().length).toBeGreaterThan(0);
  const texts = [live, history, reported.ok ? reported.output : '', stdout, stderr].map((text) => Buffer.from(text));
  for (const bytes of [...files, ...inside.flat(), ...texts]) expect(holdsSecret(bytes)).toBe(false);
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { Aedes } from 'aedes';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../http/listen.ts';
import type { Fix } from '../fix.ts';
import { makeKeyOf } from '../fix.ts';
import { dragonsyncRow } from '../parsers/dragonsync-row.fixture.ts';
import { dronescoutPayload } from '../parsers/dronescout-payload.fixture.ts';
import { feedUrlProblem } from './feed-kinds.ts';
import { makeFeedSet } from './feed-set.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { readReceivers } from './read-receivers.ts';
import { fastSurroundings } from './recorded-inlet.fixture.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test.each([
  'dronescout+mqtt://broker',
  'dronescout+mqtts://broker:8884/sensors/+/upload',
  'dronescout+mqtt://broker//sensor/ds-1/upload',
  'dronescout+mqtt://[::1]:1883/sensors/%23',
  'dragonsync+mqtt://broker',
  'dragonsync+mqtts://broker',
  'dragonsync+http://kit:8088/drones',
  'dragonsync+https://kit',
  'serial:///dev/ttyUSB0',
  'serial:///dev/serial/by-id/usb-Espressif?baud=921600',
])('accepts the address %s', (url) => {
  expect(feedUrlProblem(url)).toBeUndefined();
});

test.each([
  ['dronescout+mqtt:///topic', 'a host is missing, such as dronescout+mqtt://broker.local'],
  ['dronescout+mqtt://broker:0', 'write a port from 1 to 65535, such as dronescout+mqtt://broker.local'],
  ['dronescout+mqtt://broker/a?b', 'leave out what follows ?, such as dronescout+mqtt://broker.local'],
  ['dragonsync+mqtt://broker/%23/a', /^write a topic after the host/],
  ['dragonsync+mqtt://broker/a+', /^write a topic after the host/],
  ['dragonsync+mqtt://broker/%zz', /^write a topic after the host/],
  ['dragonsync+http:///drones', 'a host is missing, such as dragonsync+http://kit.local'],
  ['serial://dev/ttyUSB0', 'write the whole path, after three slashes, such as serial:///dev/ttyUSB0'],
  ['serial:///dev/ttyUSB0?baud=fast', /^write a rate from 300 to 4000000/],
  ['serial:///dev/ttyUSB0?bits=8', /^leave out what follows \?/],
  ['mqtt://broker', 'write who sends: dronescout+mqtt:// or dragonsync+mqtt://'],
])('refuses the address %s', (url, problem) => {
  expect(feedUrlProblem(url)).toMatch(problem);
});

test('assumes several stations behind a broker, unless the settings say one', () => {
  const aggregates = (feed: object) => {
    const read = readFeedsFile(JSON.stringify({ feeds: [{ id: 'a', ...feed }] }));
    return read.ok && read.feeds[0]!.aggregates;
  };
  expect(aggregates({ url: 'dronescout+mqtt://broker' })).toBe(true);
  expect(aggregates({ url: 'dronescout+mqtt://broker', aggregates: false })).toBe(false);
  expect(aggregates({ url: 'serial:///dev/ttyUSB0' })).toBe(false);
  const short = readReceivers('dragonsync+mqtt://broker,dragonsync+http://kit');
  expect(short.ok && short.feeds.map((feed) => feed.aggregates)).toEqual([true, false]);
});

function receiving(receivers: string) {
  const read = readReceivers(receivers);
  if (!read.ok) throw new Error(read.problems.join());
  const fixes: Fix[] = [];
  let wake = () => {};
  const set = makeFeedSet({
    keyOf: makeKeyOf(randomBytes(32)),
    deliver: (_, parsed) => {
      fixes.push(...parsed.fixes);
      wake();
    },
    surroundings: fastSurroundings,
  });
  cleanUps.push(() => set.stop());
  set.run(read.feeds);
  return {
    set,
    async until(count: number): Promise<readonly Fix[]> {
      while (fixes.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return fixes;
    },
  };
}

const HERE = { lat: 47.123_456_7, lon: 8.765_432_1 };

test('reads DroneScout and DragonSync at one broker', async () => {
  const aedes = await Aedes.createBroker();
  const server = createServer(aedes.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => {
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  const at = `127.0.0.1:${port}`;
  const { set, until } = receiving(`dronescout+mqtt://${at}//sensor/+/upload,dragonsync+mqtt://${at}`);
  while (set.statuses().some(({ health }) => health.state !== 'connected')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const publish = (topic: string, payload: string) =>
    aedes.publish({ cmd: 'publish', qos: 0, dup: false, retain: false, topic, payload }, () => {});
  const said = { basicIds: [{ idType: 1, id: '1581F5BKD2290000TEST' }], location: HERE };
  publish('/sensor/ds-1/upload', dronescoutPayload(said));
  publish('wardragon/drones', JSON.stringify(dragonsyncRow({ ...HERE, observed_at: Date.now() / 1000 })));
  const fixes = await until(2);
  expect(fixes[0]!.trackKey).toBe(fixes[1]!.trackKey);
});

test('reads DragonSync over HTTP', async () => {
  const server = createHttpServer((request, response) => {
    const row = dragonsyncRow({ ...HERE, observed_at: Date.now() / 1000 });
    if (request.url === '/drones') response.end(JSON.stringify({ drones: [row] }));
    else response.writeHead(404).end();
  });
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  const origin = await listen(server, '127.0.0.1', 0);
  const { until } = receiving(`dragonsync+${origin}`);
  expect(await until(1)).toMatchObject([{ layer: 'rid', ...HERE }]);
  server.closeAllConnections();
});

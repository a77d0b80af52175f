import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { errorBodySchema } from '#lib/contract/envelope.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { keyDigest } from '../accounts/api-key.ts';
import { EmbeddedPast } from '../past/files/embedded-past.ts';
import { PERIOD_MS, periodName, periodStart } from '../past/period.ts';
import { makeFeedSet } from './feeds/feed-set.ts';
import { makePushDesk } from './feeds/push-desk.ts';
import { readFeedsFile } from './feeds/read-feeds-file.ts';
import { fastSurroundings } from './feeds/recorded-inlet.fixture.ts';
import { makeKeyOf } from './fix.ts';
import { makeReceivedSource } from './received-source.ts';

import { startPushListener } from './start-push-listener.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const now = () => upstreamInstant(Date.now());

const makeKey = () => randomBytes(32).toString('base64url');
const digestOf = (key: string) => Buffer.from(keyDigest(key)).toString('hex');

async function listening() {
  const folder = await mkdtemp(join(tmpdir(), 'lookout-push-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const past = await EmbeddedPast.open({ folder, now, log: () => {} });
  cleanUps.push(() => past.close());
  let isStarting = true;
  const surroundings = { ...fastSurroundings, now: () => (isStarting ? addMs(now(), -120_000) : now()) };
  const source = makeReceivedSource({ past, surroundings });
  isStarting = false;
  cleanUps.push(async () => source.stop());
  const pushDesk = makePushDesk();
  const feeds = makeFeedSet({
    keyOf: makeKeyOf(randomBytes(32)),
    deliver: source.deliver,
    surroundings: fastSurroundings,
    home: { pushDesk },
  });
  cleanUps.push(() => feeds.stop());
  const run = (stations: Readonly<Record<string, readonly string[]>>) => {
    const written = Object.entries(stations).map(([id, keys]) => ({
      id,
      url: `push://${id}`,
      key_sha256: keys.map(digestOf),
    }));
    const read = readFeedsFile(JSON.stringify({ feeds: written }));
    if (!read.ok) throw new Error(read.problems.join());
    feeds.run(read.feeds);
  };
  const key = makeKey();
  run({ hill: [key] });
  const listener = await startPushListener({
    stations: pushDesk,
    written: source.written,
    countsOf: (station) => source.feedState(station)?.counts,
    now,
  });
  cleanUps.push(() => listener.close());
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(listener.url, { method: 'POST', body, headers: { authorization: `Bearer ${key}`, ...headers } });
  const recorded = async () => {
    const window = { start: addMs(now(), -60_000), end: addMs(now(), 1000) };
    return (await past.history('rid', WORLD, window, 1000)).observations;
  };
  return { folder, key, run, feeds, source, listener, post, recorded };
}

function row(agoMs: number, known: object = {}) {
  const place = { longitude: 8.5 + agoMs / 1e7, latitude: 47.25 };
  return {
    serial_number: '1581F5BKD2290000TEST',
    observed_at: formatInstant(addMs(now(), -agoMs)),
    ...place,
    ...known,
  };
}

async function refusalOf(response: Response) {
  const body = errorBodySchema.parse(await response.json());
  expect(response.headers.get('x-request-id')).toBe(body.request_id);
  return `${response.status} ${body.error.code}`;
}

test('records rows before answering 200', async () => {
  const { post, recorded, source, feeds } = await listening();
  const response = await post(JSON.stringify([row(3000), row(2000), row(1000), { ...row(500), latitude: 91 }]));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ received: 3, refused: { impossible_value: 1 } });
  expect(await recorded()).toHaveLength(3);
  expect(source.live('rid', WORLD, now())).toMatchObject([{ receiverCount: 1, simulated: false }]);
  expect(feeds.statuses()[0]!.health).toMatchObject({ state: 'connected', positions: 3, messages: 1 });
});

test('never answers 200 for rows that a full disk refused, also when they are repeated', async () => {
  const { folder, post, recorded, source } = await listening();
  const start = periodStart(now());
  const logs = [-PERIOD_MS, 0, PERIOD_MS].map((ms) => join(folder, 'log', `${periodName(addMs(start, ms))}.log`));
  // Fails as on a full disk.
  await Promise.all(logs.map((log) => symlink('/dev/full', log)));
  const body = JSON.stringify([row(3000), row(2000), row(1000)]);
  const response = await post(body);
  expect(response.headers.get('retry-after')).toBe('30');
  expect(await refusalOf(response)).toBe('503 unavailable');
  expect(await recorded()).toEqual([]);
  expect(source.live('rid', WORLD, now())).toHaveLength(1);
  await Promise.all(logs.map((log) => rm(log)));
  expect(await refusalOf(await post(body))).toBe('503 unavailable');
  expect(await recorded()).toEqual([]);
});

test('takes repeated rows as the same observations', async () => {
  const { post, recorded } = await listening();
  const body = JSON.stringify([row(3000), row(2000), row(1000)]);
  for (let time = 0; time < 3; time += 1) expect((await post(body)).status).toBe(200);
  const again = JSON.stringify([...JSON.parse(body), row(0)]);
  expect((await post(again)).status).toBe(200);
  expect(await recorded()).toHaveLength(4);
});

test('reports rows that are too late', async () => {
  const { post, recorded } = await listening();
  await post(JSON.stringify([row(0)]));
  const response = await post(JSON.stringify([row(60_000), row(40_000), row(0)]));
  expect(await response.json()).toMatchObject({ received: 3, not_recorded: { late: 2 } });
  expect((await recorded()).length).toBeLessThanOrEqual(2);
});

test('reads a compressed body up to the limit of its size', async () => {
  const { post } = await listening();
  const zipped = { 'content-encoding': 'gzip' };
  const good = await post(gzipSync(JSON.stringify([row(1000)])), zipped);
  expect(await good.json()).toMatchObject({ received: 1 });
  expect(await refusalOf(await post(gzipSync(Buffer.alloc(100_000_000, ' ')), zipped))).toBe('413 body_too_large');
  expect(await refusalOf(await post(JSON.stringify([row(1000)]), zipped))).toBe('400 invalid_request');
  expect(await refusalOf(await post('[]', { 'content-encoding': 'br' }))).toBe('415 encoding_not_supported');
});

test.each([
  ['what is no JSON', 'rows', '400 invalid_request'],
  ['no rows', '{"rows":[]}', '400 invalid_request'],
  ['1,001 rows', JSON.stringify(Array(1001).fill({})), '413 body_too_large'],
  ['more than 1 MiB', JSON.stringify(['x'.repeat(1024 * 1024)]), '413 body_too_large'],
])('%s: %s', async (_, body, refusal) => {
  const { post } = await listening();
  expect(await refusalOf(await post(body))).toBe(refusal);
});

test('refuses a body of unknown length at the limit', async () => {
  const { listener, key } = await listening();
  const { hostname, port, pathname } = new URL(listener.url);
  const socket = connect(Number(port), hostname);
  cleanUps.push(async () => socket.destroy());
  const head = [
    `POST ${pathname} HTTP/1.1`,
    'Host: here',
    `Authorization: Bearer ${key}`,
    'Transfer-Encoding: chunked',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  for (let sent = 0; sent < 17; sent += 1) socket.write(piece);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
});

test('refuses a missing or unknown key before reading the body', async () => {
  const { post, listener, feeds } = await listening();
  const body = JSON.stringify([row(1000)]);
  expect(await refusalOf(await post(body, { authorization: 'Bearer nobody' }))).toBe('401 unauthorized');
  expect(await refusalOf(await post(body, { authorization: 'Basic bm8=' }))).toBe('401 unauthorized');
  const anonymous = await fetch(listener.url, { method: 'POST', body });
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
  expect(await refusalOf(anonymous)).toBe('401 unauthorized');
  expect(feeds.statuses()[0]!.health.messages).toBe(0);
});

test('refuses other methods and paths', async () => {
  const { listener, post } = await listening();
  const got = await fetch(listener.url);
  expect(got.headers.get('allow')).toBe('POST');
  expect(await refusalOf(got)).toBe('405 method_not_allowed');
  const elsewhere = await fetch(`${listener.url}/more`, { method: 'POST', body: '[]' });
  expect(await refusalOf(elsewhere)).toBe('404 not_found');
  expect((await post('[]')).status).toBe(200);
});

test('throttles a station that floods, but no other', async () => {
  const { post, key: hillKey, run, listener } = await listening();
  const key = makeKey();
  run({ hill: [hillKey], valley: [key] });
  const begunMs = performance.now();
  const answers: Response[] = [];
  while (!answers.some(({ status }) => status === 429))
    answers.push(...(await Promise.all(Array.from({ length: 60 }, () => post('[]')))));
  const secondsBegun = Math.ceil((performance.now() - begunMs) / 1000) + 1;
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeLessThanOrEqual(10 * secondsBegun);
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
  const other = { method: 'POST', body: '[]', headers: { authorization: `Bearer ${key}` } };
  expect((await fetch(listener.url, other)).status).toBe(200);
});

test('refuses a station with many unfinished bodies before reading more', async () => {
  const { listener, key, post } = await listening();
  const { hostname, port, pathname } = new URL(listener.url);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000\r\n\r\n[`;
  const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(head);
  await eventually(async () => expect(await refusalOf(await post('[]'))).toBe('429 station_limit'));
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await post('[]')).status).toBe(200));
});

test('replaces a key without a gap, and refuses a removed one at once', async () => {
  const { post, key, run } = await listening();
  const next = makeKey();
  const authorization = `Bearer ${next}`;
  run({ hill: [key, next] });
  expect((await post('[]')).status).toBe(200);
  expect((await post('[]', { authorization })).status).toBe(200);
  run({ hill: [next] });
  expect(await refusalOf(await post('[]'))).toBe('401 unauthorized');
  expect((await post('[]', { authorization })).status).toBe(200);
});

test('stores nothing of the rows about operators', async () => {
  const { post, folder } = await listening();
  const rows = [
    row(1000, { operator_latitude: 46.987_654_3, operator_longitude: 7.123_456_7, operator_id: 'CHEoperator' }),
  ];
  expect((await post(JSON.stringify(rows))).status).toBe(200);
  const { readdir, readFile } = await import('node:fs/promises');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const bytes = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
  );
  const disk = Buffer.concat(bytes);
  expect(disk.length).toBeGreaterThan(0);
  for (const secret of ['46.98', '7.1234', 'CHEoperator', '1581F5BK']) expect(disk.includes(secret)).toBe(false);
});

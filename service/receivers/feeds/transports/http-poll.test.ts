import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { listenDeaf } from '#testing/deaf-listener.ts';
import { eventually } from '#testing/eventually.ts';
import { resolveName, SECOND_ANSWERS } from '#testing/resolve-name.ts';
import { listen } from '../../../http/listen.ts';
import type { Connection } from '../feed.ts';
import { fastSurroundings, makeRecordedInlet } from '../recorded-inlet.fixture.ts';
import { type HttpPollOptions, httpPoll } from './http-poll.ts';

const servers: Server[] = [];
const connections: Connection[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener, port = 0): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  return listen(server, '127.0.0.1', port);
}

interface PollOptions extends Omit<HttpPollOptions, 'urls'> {
  readonly at: readonly string[];
  readonly isReadable?: (body: string) => boolean;
}

function poll({ at, isReadable, ...others }: PollOptions, surroundings = fastSurroundings) {
  const recorded = makeRecordedInlet(isReadable);
  const connection = httpPoll({ urls: at.map((url) => new URL(url)), ...others })(recorded.inlet, surroundings);
  connections.push(connection);
  return { ...recorded, connection };
}

test('polls, and dates each answer halfway through its request', async () => {
  let asked = 0;
  const origin = await serve((_, response) => {
    asked += 1;
    response.end(`answer ${asked}`);
  });
  const now = () => epochMs(fastSurroundings.now());
  const from = now();
  const { until, receivedAt } = poll({ at: [`${origin}/aircraft.json`] });
  await until('message answer 1');
  await until('message answer 3');
  for (const at of receivedAt) {
    expect(Number.isInteger(epochMs(at))).toBe(true);
    expect(epochMs(at)).toBeGreaterThanOrEqual(from);
    expect(epochMs(at)).toBeLessThanOrEqual(now());
  }
});

test('sends the etag of the last answer', async () => {
  const asked: (string | undefined)[] = [];
  const origin = await serve((request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"7"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"7"' }).end('seven');
  });
  const { until, events } = poll({ at: [origin] });
  expect(await until('message seven')).toEqual(['connected', 'message seven']);
  await until('connected');
  await until('connected');
  expect(events).not.toContain('message seven');
  expect(asked.slice(0, 3)).toEqual([undefined, '"7"', '"7"']);
});

test('keeps the first of several addresses that answers', async () => {
  const asked: (string | undefined)[] = [];
  const origin = await serve((request, response) => {
    asked.push(request.url);
    if (request.url === '/b') response.end('here');
    else response.writeHead(404).end();
  });
  const { until } = poll({ at: [`${origin}/a`, `${origin}/b`, `${origin}/c`] });
  expect(await until('message here')).toEqual([
    'lost there is nothing at that address (status 404)',
    'connected',
    'message here',
  ]);
  await until('repeated');
  expect(asked.slice(0, 3)).toEqual(['/a', '/b', '/b']);
});

test('reads compressed answers up to the limit of their size', async () => {
  let body = gzipSync('short');
  const origin = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
  const { until } = poll({ at: [origin] });
  await until('message short');
  body = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  await until('refuse too_long');
  await until('lost its answer is longer than 1024 KiB');
  body = gzipSync('short again');
  await until('message short again');
});

test('follows redirections only to the same server', async () => {
  const elsewhere = await serve((_, response) => response.end('not asked for'));
  let target = '/there';
  const origin = await serve((request, response) => {
    if (request.url === '/there') response.end('there');
    else response.writeHead(302, { location: target }).end();
  });
  const { until, events } = poll({ at: [`${origin}/here`] });
  await until('message there');
  target = elsewhere;
  await until('lost it redirects elsewhere: write the address it leads to');
  target = '/here';
  await until('lost it redirects in circles');
  expect(events).not.toContain('message not asked for');
});

test('sends user and password, and reports if they are missing', async () => {
  const origin = await serve((request, response) => {
    if (request.headers.authorization === 'Basic right') response.end('inside');
    else response.writeHead(401).end();
  });
  let password = 'wrong';
  const { until } = poll({ at: [origin], authorization: async () => `Basic ${password}` });
  await until('lost it requires a user and password (status 401)');
  password = 'right';
  await until('message inside');
});

test('reports an unreadable password file, and retries it', async () => {
  const origin = await serve((_, response) => response.end('inside'));
  let isThere = false;
  const { until } = poll({
    at: [origin],
    authorization: async () => {
      if (!isThere) await readFile('/nowhere/password');
      return 'Basic right';
    },
  });
  await until('lost its password_file cannot be read: no such file');
  isThere = true;
  await until('message inside');
});

test('gives up a missing or endless answer', async () => {
  let isSlow = true;
  const origin = await serve((_, response) => {
    if (isSlow) response.write('half of an answer');
    else response.end('whole');
  });
  const { until } = poll({ at: [origin], timeoutMs: 50 });
  await until('lost no answer within 0.05 s');
  isSlow = false;
  await until('message whole');
});

test('polls the address of a name that answers', async () => {
  const { port } = new URL(await serve((_, response) => response.end('list')));
  const deaf = await listenDeaf('127.0.0.2', Number(port));
  for (const addresses of [SECOND_ANSWERS, ['127.0.0.2', '127.0.0.1']]) {
    const restore = resolveName('receiver.test', addresses);
    const { until, connection } = poll({ at: [`http://receiver.test:${port}/`] });
    expect(await until('message list')).toEqual(['connected', 'message list']);
    await connection.close();
    restore();
  }
  await deaf.close();
});

test('names what answers in place of a web server, or with an error', async () => {
  const sbs = createNetServer((socket) => socket.on('error', () => {}).write('MSG,3,1,1,3C66B0,1\r\n'));
  servers.push(Object.assign(sbs, { closeAllConnections: () => {} }) as never);
  const { until } = poll({ at: [await listen(sbs as never, '127.0.0.1', 0)] });
  await until('lost it does not speak HTTP: take another port, or another kind of address');
  const failing = poll({ at: [await serve((_, response) => response.writeHead(500).end())] });
  await failing.until('lost it answers with an error (status 500)');
});

test('retries a server that is down', async () => {
  const origin = await serve((_, response) => response.end());
  const [gone] = servers.splice(0);
  await new Promise((resolve) => gone?.close(resolve));
  const { until } = poll({ at: [origin] });
  await until('lost nothing listens there');
  await until('lost nothing listens there');
  await serve((_, response) => response.end('back'), Number(new URL(origin).port));
  await until('message back');
});

test('sends and reports nothing once closed', async () => {
  const answered: (() => void)[] = [];
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const origin = await serve((_, response) => {
    answered.push(() => response.end('late'));
    asked();
  });
  const { connection, events } = poll({ at: [origin] });
  await isAsked;
  await connection.close();
  for (const answer of answered) answer();
  expect(events).toEqual([]);
  expect(answered).toHaveLength(1);
});

test.each([401, 403, 404, 400, 302, 429, 500, 502])('continues after a web page with status %d', async (status) => {
  let isOut = true;
  const origin = await serve((_, response) => {
    if (isOut) response.writeHead(status, { 'content-type': 'text/html' }).end('<html>sorry</html>');
    else response.end('back');
  });
  const { until, events } = poll({ at: [origin] });
  await eventually(() =>
    expect(events.filter((event) => event.includes(`(status ${status})`)).length).toBeGreaterThan(2),
  );
  isOut = false;
  await until('message back');
});

test.each([
  ['seconds', { 'retry-after': '120' }, 120_000],
  ['a date of the server’s clock', { date: atSecond(0), 'retry-after': atSecond(120) }, 120_000],
  ['a day, up to 15 minutes', { 'retry-after': '86400' }, 900_000],
])('waits as long as Retry-After says: %s', async (_, headers, waitMs) => {
  const waits: number[] = [];
  const after: typeof fastSurroundings.after = (ms, callback) => {
    waits.push(ms);
    return fastSurroundings.after(ms / 1000, callback);
  };
  let isBusy = true;
  const origin = await serve((_request, response) => response.writeHead(isBusy ? 429 : 200, headers).end('list'));
  const { until } = poll({ at: [origin] }, { ...fastSurroundings, after });
  await until('lost it has too many requests (status 429)');
  isBusy = false;
  await until('message list');
  expect(waits[0]).toBe(waitMs);
});

function atSecond(second: number): string {
  return new Date(Date.UTC(2001, 0, 1, 0, 0, second)).toUTCString();
}

test('tries the next address after an unreadable answer', async () => {
  const asked: (string | undefined)[] = [];
  let isReady = false;
  const origin = await serve((request, response) => {
    asked.push(request.url);
    response.end(request.url === '/c' && isReady ? 'list' : '<html>start</html>');
  });
  const at = ['a', 'b', 'c', 'd'].map((path) => `${origin}/${path}`);
  const { until } = poll({ at, isReadable: (body) => body === 'list' });
  await eventually(() => expect(asked.slice(0, 5)).toEqual(['/a', '/b', '/c', '/d', '/a']));
  isReady = true;
  await until('message list');
  await until('repeated');
  expect(asked.slice(-2)).toEqual(['/c', '/c']);
});

test.each([
  ['gzip without a header', gzipSync('the list'), {}],
  ['plain text called gzip', 'the list', { 'content-encoding': 'gzip' }],
  ['brotli', brotliCompressSync('the list'), { 'content-encoding': 'br' }],
  ['deflate', deflateSync('the list'), { 'content-encoding': 'deflate' }],
  ['gzip called brotli', gzipSync('the list'), { 'content-encoding': 'br' }],
])('%s is read', async (_, body, headers) => {
  const origin = await serve((_request, response) => response.writeHead(200, headers).end(body));
  await poll({ at: [origin] }).until('message the list');
});

test('adds the ages of file and cache by the server’s clock', async () => {
  const hour = 3_600_000;
  const at = (ms: number) => new Date(Date.UTC(2001, 0, 1) + ms).toUTCString();
  let headers: Record<string, string> = { date: at(3 * hour), 'last-modified': at(0) };
  let answers = 0;
  const origin = await serve((_, response) => {
    answers += 1;
    response.writeHead(200, headers).end(`answer ${answers}`);
  });
  const { until, facts } = poll({ at: [origin] });
  await until('message answer 1');
  expect(facts[0]).toMatchObject({ writtenAgoMs: 3 * hour - 2000, mayBeOld: true });
  // A change without a new Last-Modified makes that header meaningless.
  await until('message answer 2');
  expect(facts[1]).toMatchObject({ writtenAgoMs: 0, mayBeOld: false });
  headers = { date: at(hour), age: '60' };
  await eventually(() => expect(facts.at(-1)).toMatchObject({ writtenAgoMs: 58_000, mayBeOld: false }));
});

test('raises the limit for an address with long lists', async () => {
  const mib = 1024 * 1024;
  let body = 'x'.repeat(3 * mib);
  const origin = await serve((_, response) => response.end(body));
  const { until } = poll({ at: [origin] });
  await until('lost its answer is longer than 1024 KiB');
  await until('lost its answer is longer than 1024 KiB');
  body = `{"now":1,"aircraft":[${' '.repeat(3 * mib)}]}`;
  await until('lost its answer is longer than 2048 KiB');
  await until(`message ${body}`);
  body += ' '.repeat(6 * mib);
  await until('lost its answer is longer than 8192 KiB');
});

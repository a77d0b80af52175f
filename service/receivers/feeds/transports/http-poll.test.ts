import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
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

function poll(options: Omit<HttpPollOptions, 'urls'> & { readonly at: readonly string[] }) {
  const { at, ...others } = options;
  const recorded = makeRecordedInlet();
  const connection = httpPoll({ urls: at.map((url) => new URL(url)), ...others })(recorded.inlet, fastSurroundings);
  connections.push(connection);
  return { ...recorded, connection };
}

test('it asks again and again, and hands in each answer with the time in the middle of its request', async () => {
  let asked = 0;
  const origin = await serve((_, response) => {
    asked += 1;
    response.end(`answer ${asked}`);
  });
  const from = Date.now();
  const { until, receivedAt } = poll({ at: [`${origin}/aircraft.json`] });
  await until('message answer 1');
  await until('message answer 3');
  for (const at of receivedAt) {
    expect(Number.isInteger(epochMs(at))).toBe(true);
    expect(epochMs(at)).toBeGreaterThanOrEqual(from);
    expect(epochMs(at)).toBeLessThanOrEqual(Date.now());
  }
});

test('what did not change is not sent again', async () => {
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

test('of several addresses the first that is found is kept', async () => {
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
  await until('message here');
  expect(asked.slice(0, 3)).toEqual(['/a', '/b', '/b']);
});

test('zipped answers are read, up to their limit unzipped', async () => {
  let body = gzipSync('short');
  const origin = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
  const { until } = poll({ at: [origin], bodyMaxBytes: 100 * 1024 });
  await until('message short');
  body = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  await until('refuse too_long');
  await until('lost its answer is longer than 100 KiB');
  body = gzipSync('short again');
  await until('message short again');
});

test('it does not follow to another place, but at the same one', async () => {
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

test('a user and a password are sent, and their absence is told', async () => {
  const origin = await serve((request, response) => {
    if (request.headers.authorization === 'Basic right') response.end('inside');
    else response.writeHead(401).end();
  });
  let password = 'wrong';
  const { until } = poll({ at: [origin], authorization: async () => `Basic ${password}` });
  await until('lost it asks for a user and password (status 401)');
  password = 'right';
  await until('message inside');
});

test('a password that cannot be read is told as such, and read when it can be', async () => {
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

test('an answer that does not come, or does not end, is given up', async () => {
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

test('a server that is down is tried again until it is there', async () => {
  const origin = await serve((_, response) => response.end());
  const [gone] = servers.splice(0);
  await new Promise((resolve) => gone?.close(resolve));
  const { until } = poll({ at: [origin] });
  await until('lost nothing listens there');
  await until('lost nothing listens there');
  await serve((_, response) => response.end('back'), Number(new URL(origin).port));
  await until('message back');
});

test('once closed it asks nothing and says nothing, whatever was under way', async () => {
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

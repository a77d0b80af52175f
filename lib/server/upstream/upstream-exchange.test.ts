import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { listenDeaf } from '#testing/deaf-listener.ts';
import { resolveName, SECOND_ANSWERS } from '#testing/resolve-name.ts';
import { StoredLedger } from '../allowance/stored-ledger.ts';
import { fixedApiKey } from './api-key.ts';
import { Budget, type Cause } from './budget.ts';
import { UpstreamClient } from './upstream-client.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const NOW = localInstant(NOON_MS);
const bbox = { west: 8, south: 47, east: 9, north: 48 };

let upstream: Server;
let client: UpstreamClient;
let ledger: StoredLedger;
let received: IncomingHttpHeaders[];
let logged: Record<string, unknown>[];
beforeEach(async () => {
  received = [];
  logged = [];
  upstream = createServer(({ headers }, answer) => {
    received.push(headers);
    const id = `theirs-${received.length}`;
    const page = { version: '1', request_id: id, generated_at: '2026-11-21T12:00:00Z', layer: 'adsb', mode: 'live' };
    answer.setHeader('x-request-id', id);
    answer.end(JSON.stringify({ ...page, data: [], next_cursor: null, truncated: false }));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  ledger = StoredLedger.inMemory();
  client = clientOf('127.0.0.1');
});
afterEach(async () => {
  await client.close();
  await ledger.close();
  upstream.close();
});

function clientOf(host: string): UpstreamClient {
  return new UpstreamClient({
    baseUrl: `http://${host}:${portOf(upstream)}/v1`,
    key: fixedApiKey('key'),
    trackPrefix: undefined,
    ledger,
    now: () => NOW,
    random: () => 0.5,
    log: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function read(cause: Cause): Promise<void> {
  const budget = new Budget(ledger, 'scheduled', 1, undefined, cause);
  await client.livePage('adsb', { bbox, limit: 1000, cursor: undefined }, budget);
  await budget.close();
}

test('Each request has a line with an id of its own, what caused it and the upstream’s own id; none of ours is sent', async () => {
  await read({ refresh: { area: 12, number: 3 } });
  await read({ operator: 'anna', requestId: 'from-a-proxy-0001' });
  expect(logged).toMatchObject([
    { area: 12, refresh: 3, upstream_request_id: 'theirs-1' },
    { operator: 'anna', request_id: 'from-a-proxy-0001', upstream_request_id: 'theirs-2' },
  ]);
  expect(logged[0]).not.toHaveProperty('request_id');
  expect(logged[1]).not.toHaveProperty('area');
  const ids = logged.map(({ outgoing_id }) => outgoing_id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  // None identifies the operator or the purpose.
  for (const headers of received)
    expect(new Set(Object.keys(headers))).toEqual(
      new Set(['accept', 'accept-encoding', 'authorization', 'connection', 'host', 'user-agent']),
    );
});

test('reads from the address of its name that answers', async () => {
  const deaf = await listenDeaf('127.0.0.2', portOf(upstream));
  for (const addresses of [SECOND_ANSWERS, ['127.0.0.2', '127.0.0.1']]) {
    const restore = resolveName('upstream.test', addresses);
    await client.close();
    client = clientOf('upstream.test');
    await read({});
    restore();
  }
  await deaf.close();
  expect(received.map(({ host }) => host)).toEqual(Array(2).fill(`upstream.test:${portOf(upstream)}`));
});

test('counts a request that a connection may have carried, and none without a connection', async () => {
  const spent = async () => (await ledger.state(upstreamInstant(NOON_MS))).spentToday;
  await client.close();
  client = clientOf('nowhere.invalid');
  await read({});
  expect(await spent()).toBe(0);
  await client.close();
  client = clientOf('127.0.0.1');
  upstream.removeAllListeners('request').on('request', ({ socket }) => socket.destroy());
  await read({});
  expect(await spent()).toBe(1);
  await client.close();
  client = clientOf('127.0.0.1');
  upstream.close();
  await once(upstream, 'close');
  await read({});
  expect(await spent()).toBe(1);
  expect(logged.map(({ cost }) => cost)).toEqual([0, 1, 0]);
});

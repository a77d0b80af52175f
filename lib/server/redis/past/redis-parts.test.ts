import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type HistoryPart, type Part, partKey } from '../../parts/history-part.ts';
import { declareSharedPartsSuite, emptyPart, turnOf } from '../../ports/shared-parts-suite.fixture.ts';
import { SharedStoreFailure } from '../../ports/shared-store-failure.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { RedisLeases } from '../redis-leases.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { STORED_ENTRY_BYTES } from './part-store.ts';
import { RedisParts, TURN_MS } from './redis-parts.ts';
import { storedPart } from './stored-part.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const never = new AbortController().signal;

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let now = NOW;
  let warned: string[];
  const log = { warn: (_: object, text: string) => warned.push(text) } as never;
  const partsOf = (connection: RedisConnection, maxBytes?: number) =>
    new RedisParts({
      connection,
      account: 'account',
      leases: new RedisLeases(connection),
      now: () => now,
      log,
      pollMs: 20,
      ...(maxBytes !== undefined && { maxBytes }),
    });
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  beforeEach(async () => {
    warned = [];
    now = NOW;
    await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    await server.admin('FLUSHALL');
  });

  const share = async (parts: RedisParts, part: HistoryPart) =>
    turnOf(await parts.take(part.layer, part, never)).end(part);
  const over = async (parts: RedisParts, box: Part, isCached: (part: Part) => boolean = () => false) => {
    const found: HistoryPart[] = [];
    for await (const part of parts.over('adsb', [box], isCached)) found.push(part);
    return found;
  };
  const keys = async () => ((await server.admin('KEYS', '*:body:*')) as string[]).length;

  declareSharedPartsSuite('RedisParts', async () => [partsOf(connections[0]), partsOf(connections[1])]);

  test('what was read is there for servers that start later, over its box and window, unless they hold it', async () => {
    const [one, other] = [partsOf(connections[0]), partsOf(connections[1])];
    const wide = await emptyPart(50, { bbox: { west: 7, south: 46, east: 10, north: 49 } });
    const beside = await emptyPart(0, { bbox: { west: 8, south: 47, east: 8.9, north: 48 } });
    const truncated = await emptyPart(5, { truncated: true, records: 1000, unreadable: 2 });
    for (const each of [await emptyPart(0), truncated, beside, wide, await emptyPart(0, { layer: 'rid' })])
      await share(one, each);
    const { bbox, window } = await emptyPart(0);
    const hour = { bbox, window: { ...window, end: addMs(window.start, 60 * MINUTE_MS) } };
    expect(await over(other, hour)).toEqual(expect.arrayContaining([await emptyPart(0), truncated, wide]));
    expect(await over(other, hour)).toHaveLength(3);
    expect(await over(other, { bbox, window })).toEqual([await emptyPart(0)]);
    const cached = partKey('adsb', wide);
    expect(await over(other, hour, (part) => partKey('adsb', part) === cached)).toHaveLength(2);
  });

  test('who wants a part that another server has read is given it, and nobody keeps the right to ask for it', async () => {
    const part = await emptyPart(0);
    await share(partsOf(connections[0]), part);
    for (const connection of connections) {
      expect(await partsOf(connection).take('adsb', part, never)).toEqual({ kind: 'read', part });
    }
    const [body] = (await server.admin('KEYS', '*:body:*')) as string[];
    await server.admin('DEL', body as string);
    expect((await partsOf(connections[1]).take('adsb', part, never)).kind).toBe('turn');
  });

  test('a part whose asker is gone is asked by one of those who wait, within the time of a turn', async () => {
    const gone = await connectTo(server.target);
    const part = await emptyPart(0);
    await partsOf(gone).take('adsb', part, never);
    gone.close();
    const waiting = partsOf(connections[1]).take('adsb', part, never);
    now = addMs(NOW, TURN_MS - 1);
    expect(await Promise.race([waiting, connections[1].send(['PING'])])).toBe('PONG');
    now = addMs(NOW, TURN_MS);
    expect((await waiting).kind).toBe('turn');
  });

  test('an asker that stood still and goes on hands nothing on over the one that asks instead', async () => {
    const part = await emptyPart(0);
    const stood = turnOf(await partsOf(connections[0]).take('adsb', part, never));
    now = addMs(NOW, TURN_MS);
    const turn = turnOf(await partsOf(connections[1]).take('adsb', part, never));
    await stood.end({ ...part, records: 7 });
    expect(await keys()).toBe(0);
    await turn.end(part);
    expect(await over(partsOf(connections[0]), part)).toEqual([part]);
  });

  test('the store keeps no more than its bound, counts what it keeps, and the first stored give way', async () => {
    const size = storedPart(await emptyPart(0)).byteLength + STORED_ENTRY_BYTES;
    // Numbers of two digits more in a window make its head longer.
    const parts = partsOf(connections[0], 10 * size + 9);
    for (let minute = 0; minute < 200; minute += 5) await share(parts, await emptyPart(minute));
    expect(await keys()).toBe(10);
    const { bbox, window } = await emptyPart(0);
    const all = { bbox, window: { start: window.start, end: addMs(window.start, 300 * MINUTE_MS) } };
    const found = (await over(parts, all)).map(({ window: { start } }) => start);
    expect(found).toEqual(
      [150, 155, 160, 165, 170, 175, 180, 185, 190, 195].map((minute) => addMs(window.start, minute * MINUTE_MS)),
    );
    for (const key of (await server.admin('KEYS', '*:parts-*')) as string[])
      expect(Number(await server.admin('PTTL', key)), key).toBeGreaterThan(0);
  });

  test('an index of which a part is gone begins anew, and so does its bound', async () => {
    const size = storedPart(await emptyPart(0)).byteLength + STORED_ENTRY_BYTES;
    const parts = partsOf(connections[0], 10 * size + 9);
    for (let minute = 0; minute < 50; minute += 5) await share(parts, await emptyPart(minute));
    const [ages] = (await server.admin('KEYS', '*:ages')) as string[];
    await server.admin('DEL', ages as string);
    await share(parts, await emptyPart(50));
    expect(await keys()).toBe(1);
  });

  test('what cannot be read is not taken, and is read and stored anew', async () => {
    const part = await emptyPart(0);
    const [one, other] = [partsOf(connections[0]), partsOf(connections[1])];
    await share(one, part);
    const [body] = (await server.admin('KEYS', '*:body:*')) as string[];
    for (const damaged of [
      'nonsense',
      storedPart({ ...part, body: new Uint8Array(5) }),
      storedPart(await emptyPart(5)),
    ]) {
      await connections[0].send(['SET', body as string, damaged]);
      expect(await over(other, part)).toEqual([]);
      await share(other, part);
      expect(await over(one, part)).toEqual([part]);
    }
    expect(new Set(warned)).toEqual(new Set(['a part of the past in the shared store cannot be read']));
  });

  test('an index that is something else is set aside for a week', async () => {
    const part = await emptyPart(0);
    const parts = partsOf(connections[0]);
    await share(parts, part);
    const [starts] = (await server.admin('KEYS', '*:starts:*')) as string[];
    await server.admin('SET', starts as string, 'nonsense');
    expect(await over(parts, part)).toEqual([]);
    expect(warned).toEqual(['an unreadable index of parts of the past was set aside']);
    expect(await server.admin('KEYS', '*:unreadable:*')).toHaveLength(1);
    await share(parts, await emptyPart(5));
    expect(await over(parts, await emptyPart(5))).toEqual([await emptyPart(5)]);
  });

  test('parts leave a fifth of the store’s memory to others: the first give way, and one that has no room is not stored', async () => {
    const body = Buffer.alloc(50_000, 1);
    const part = async (minute: number) => ({ ...(await emptyPart(minute)), body });
    const parts = partsOf(connections[0]);
    const used = async () => Number(/used_memory:(\d+)/.exec(String(await server.admin('INFO', 'memory')))?.[1]);
    const max = Math.round(((await used()) + 1_000_000) / 0.8);
    await server.admin('CONFIG', 'SET', 'maxmemory', String(max));
    for (let minute = 0; minute < 300; minute += 5) await share(parts, await part(minute));
    expect(await keys()).toBeGreaterThan(5);
    expect(await keys()).toBeLessThan(25);
    expect(await used()).toBeLessThan(0.85 * max);
    await server.admin('CONFIG', 'SET', 'maxmemory', String(Math.round((await used()) * 1.05)));
    await share(parts, await part(400));
    expect(await connections[0].send(['SET', 'live', 'still written'])).toBe('OK');
  });

  test('in a full store nobody asks, and what was read is not handed on', async () => {
    const part = await emptyPart(0);
    const parts = partsOf(connections[0]);
    const turn = turnOf(await parts.take('adsb', part, never));
    await server.admin('CONFIG', 'SET', 'maxmemory', '1');
    await turn.end(part);
    expect(await keys()).toBe(0);
    await expect(parts.take('adsb', await emptyPart(5), never)).rejects.toBeInstanceOf(SharedStoreFailure);
  });

  test('a store that is gone: nobody asks, what is held is all there is; after a flush all is asked anew', async () => {
    const part = await emptyPart(0);
    const parts = partsOf(connections[0]);
    await share(parts, part);
    server.pause();
    await expect(parts.take('adsb', await emptyPart(5), never)).rejects.toBeInstanceOf(SharedStoreFailure);
    expect(await over(parts, part)).toEqual([]);
    server.resume();
    await Promise.all(connections.map((each) => becomes(each, 'reachable')));
    await server.admin('FLUSHALL');
    expect(await over(parts, part)).toEqual([]);
    await share(parts, part);
    expect(await over(partsOf(connections[1]), part)).toEqual([part]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import { declareSpentTodaySuite } from '../ports/spent-today-suite.fixture.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';
import { RedisSpent } from './redis-spent.ts';

const NOON = instantOf('2026-11-22T12:00:00Z');

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let opened: RedisSpent[] = [];
  let warnings: object[] = [];
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterEach(async () => {
    for (const each of opened) await each.close();
    opened = [];
    warnings = [];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const log = {
    warn: (entry: object) => warnings.push(entry),
    error: (entry: object) => warnings.push(entry),
  } as never;
  function open(at: 0 | 1 = 0): RedisSpent {
    const spent = new RedisSpent({ connection: connections[at], log });
    opened.push(spent);
    return spent;
  }
  const make = async () => {
    await server.admin('FLUSHALL');
    return [open(0), open(1)] as const;
  };
  const pastOf = async (spent: RedisSpent, operator = 'ada') => (await spent.read(NOON))(operator).past;

  declareSpentTodaySuite('RedisSpent', make);

  test('what a server counted that is gone still counts, and one that starts again adds to it', async () => {
    const [one, other] = await make();
    one.add('ada', 'history', NOON);
    await one.close();
    const again = open(0);
    again.add('ada', 'history', NOON);
    await again.close();
    expect(await pastOf(other)).toBe(2);
  });

  test('a flush takes away no more than what a server had counted that is gone', async () => {
    const [one, other] = await make();
    one.add('ada', 'history', NOON);
    one.add('ben', 'history', NOON);
    other.add('ada', 'history', NOON);
    expect(await pastOf(one)).toBeGreaterThan(0);
    await other.close();
    await server.admin('FLUSHALL');
    expect(await pastOf(one)).toBe(1);
    expect(await pastOf(one, 'ben')).toBe(1);
    other.add('cleo', 'history', NOON);
    expect(await pastOf(other)).toBe(2);
  });

  test('of a hundred requests, one command; a second later again one', async () => {
    const [one] = await make();
    const { commands } = connections[0].counts;
    for (let index = 0; index < 100; index++) one.add(`operator ${index % 7}`, 'history', NOON);
    expect(connections[0].counts.commands).toBe(commands);
    await expect.poll(async () => ((await server.admin('KEYS', '*')) as string[]).length).toBe(2);
    // The first time the script may have to be sent as well.
    expect(connections[0].counts.commands - commands).toBeLessThanOrEqual(2);
    for (const key of (await server.admin('KEYS', '*')) as string[])
      expect(Number(await server.admin('PTTL', key))).toBeGreaterThan(0);
  });

  test.each(['counts', 'runs'])('what cannot be read is set aside: %s', async (which) => {
    const [one, other] = await make();
    one.add('ada', 'history', NOON);
    expect(await pastOf(one)).toBe(1);
    const keys = ((await server.admin('KEYS', '*')) as string[]).sort((a, b) => a.length - b.length);
    const key = keys[which === 'runs' ? 0 : 1] ?? '';
    await server.admin('DEL', key);
    await server.admin('SET', key, 'x');
    expect(await pastOf(one)).toBe(1);
    expect(await pastOf(other)).toBe(1);
    expect(warnings.length).toBeGreaterThan(0);
  });

  test('without the store nothing is said, what is counted meanwhile waits, and is there when it is back', async () => {
    const [one] = await make();
    one.add('ada', 'history', NOON);
    expect(await pastOf(one)).toBe(1);
    server.pause();
    one.add('ada', 'history', NOON);
    await expect(one.read(NOON)).rejects.toThrow(SharedStoreFailure);
    server.resume();
    await becomes(connections[0], 'reachable');
    await expect.poll(() => pastOf(open(1))).toBe(2);
  });
});

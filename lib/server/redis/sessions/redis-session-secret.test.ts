import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { declareSessionSecretSuite } from '../../ports/session-secret-suite.fixture.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { RedisSessionSecret } from './redis-session-secret.ts';

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let nowMs: number;
  let warnings: object[];
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });
  const log = { warn: (entry: object) => warnings.push(entry) } as never;
  const start = (at = 0) =>
    new RedisSessionSecret({
      connection: connections[at % 2] as RedisConnection,
      now: () => localInstant(nowMs),
      log,
    });
  const pass = () => {
    nowMs += SECOND_MS;
  };

  declareSessionSecretSuite('RedisSessionSecret', async () => {
    await server.admin('FLUSHALL');
    let at = 0;
    return () => start(at++);
  });

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 10, 21, 12);
    warnings = [];
    await server.admin('FLUSHALL');
  });

  test('after a flush the store gets it back from a server that runs', async () => {
    const [one, other] = [start(0), start(1)];
    const secret = await one.current();
    await other.current();
    await server.admin('FLUSHALL');
    pass();
    expect(await other.current()).toBe(secret);
    expect(await start().current()).toBe(secret);
    expect(await one.current()).toBe(secret);
  });

  test('where one that has just started was faster, all take its secret over within a second', async () => {
    const running = [start(0), start(1)];
    for (const each of running) await each.current();
    await server.admin('FLUSHALL');
    const secret = await start().current();
    pass();
    expect(await Promise.all(running.map((each) => each.current()))).toEqual([secret, secret]);
  });

  test('it is asked for once a second, however many cookies are read', async () => {
    const one = start();
    await one.current();
    const before = connections[0].counts.commands;
    for (let reads = 0; reads < 100; reads++) await one.current();
    pass();
    await Promise.all(Array.from({ length: 100 }, () => one.current()));
    expect(connections[0].counts.commands - before).toBe(1);
  });

  test('without the store those that know it go on, and those that do not say so', async () => {
    const one = start();
    const secret = await one.current();
    server.pause();
    pass();
    expect(await one.current()).toBe(secret);
    await expect(start().current()).rejects.toMatchObject({ code: 'shared_store_failed' });
    server.resume();
    await becomes(connections[0], 'reachable');
    expect(await start().current()).toBe(secret);
  });

  test('a full store is read all the same', async () => {
    const secret = await start().current();
    await server.admin('CONFIG', 'SET', 'maxmemory', '1');
    try {
      expect(await start().current()).toBe(secret);
    } finally {
      await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    }
  });

  test.each([
    ['too short', ['SET', 'short']],
    ['another kind of key', ['LPUSH', 'x']],
  ])('one that is %s is set aside, and never used', async (_, [command = '', value = '']) => {
    await server.admin(command, '{lookout:1}:session-secret', value);
    const secret = await start().current();
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await start(1).current()).toBe(secret);
    expect(warnings).toHaveLength(1);
    expect(await server.admin('KEYS', '{lookout:1}:unreadable:*')).toHaveLength(1);
  });
});

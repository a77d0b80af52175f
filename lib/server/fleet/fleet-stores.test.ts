import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { makeLog } from '../log.ts';
import { AreaReads } from '../ports/area-reads.ts';
import { redisKey } from '../redis/connection/redis-keys.ts';
import { becomes, hasRedis, type RedisServer, startRedis } from '../redis/redis-server.fixture.ts';
import { FleetStores } from './fleet-stores.ts';

describe.skipIf(!hasRedis())('the stores of two servers', () => {
  let server: RedisServer;
  let one: FleetStores;
  let other: FleetStores;
  beforeAll(async () => {
    server = await startRedis();
    const open = async () => {
      const stores = new FleetStores(server.target, {
        account: 'of both',
        auditDays: 1,
        reads: new AreaReads(),
        wallNow: () => localInstant(Date.now()),
        now: () => localInstant(Date.now()),
        upstreamNow: () => upstreamInstant(Date.now()),
        log: makeLog('silent').log,
      });
      await becomes(stores.connection, 'reachable');
      return stores;
    };
    [one, other] = [await open(), await open()];
  });
  afterAll(async () => {
    for (const { ledger } of [one, other]) await ledger.close();
    for (const stores of [one, other]) stores.close();
    await server.remove();
  });

  test('cookies can be read after a flush, also where the server that asks first had sealed none before', async () => {
    const secret = await one.secret.current();
    await server.admin('FLUSHALL');
    expect(await other.secret.current()).toBe(secret);
    expect(await one.secret.current()).toBe(secret);
  });

  test('a flush loses the secret to no server that starts then, though nobody asks those that run for anything', async () => {
    const secret = await one.secret.current();
    await server.admin('FLUSHALL');
    await expect.poll(() => server.admin('GET', redisKey('session-secret'))).toBe(secret);
  });
});

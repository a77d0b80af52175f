import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import type { Lease } from '../ports/lease.ts';
import { declareLeasesSuite } from '../ports/leases-suite.fixture.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { RedisLeases } from './redis-leases.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const TTL_MS = 60_000;

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: [RedisConnection, RedisConnection];
  let leases: RedisLeases;
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connectTo(server.target, { timeoutMs: 2000 }), await connectTo(server.target)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.remove();
  });

  declareLeasesSuite('RedisLeases', async () => {
    await server.admin('FLUSHALL');
    return [new RedisLeases(connections[0]), new RedisLeases(connections[1])];
  });

  beforeEach(async () => {
    await server.admin('FLUSHALL');
    leases = new RedisLeases(connections[0]);
  });

  async function acquired(from = leases): Promise<Lease> {
    const lease = await from.acquire('area', TTL_MS, NOW);
    if (!lease) throw new Error('it is leased already');
    return lease;
  }

  test('a flush takes all leases, and fences go on above those before it', async () => {
    const before = await acquired();
    await server.admin('FLUSHALL');
    expect((await acquired()).fence).toBeGreaterThan(before.fence);
  });

  test('the lease of a lost answer is had by the next try, and by nobody else', async () => {
    const other = new RedisLeases(connections[1]);
    server.pause();
    await expect(leases.acquire('area', TTL_MS, NOW)).rejects.toMatchObject({ problem: 'slow', isUnknown: true });
    server.resume();
    await becomes(connections[0], 'reachable');
    expect(await other.acquire('area', TTL_MS, NOW), 'it was carried out').toBeUndefined();
    await acquired();
    expect(await leases.acquire('area', TTL_MS, NOW), 'once').toBeUndefined();
    await other.acquire('area', TTL_MS, addMs(NOW, TTL_MS));
  });

  test('without the store nothing is acquired, and a release does no harm', async () => {
    const lease = await acquired();
    server.pause();
    await leases.release(lease);
    await expect(leases.acquire('another', TTL_MS, NOW)).rejects.toBeInstanceOf(RedisFailure);
    server.resume();
    await becomes(connections[0], 'reachable');
  });

  test('what is left of leases is forgotten by the store', async () => {
    await leases.release(await acquired());
    const [key] = (await server.admin('KEYS', '*')) as string[];
    expect(Number(await server.admin('PTTL', key as string))).toBeGreaterThan(TTL_MS);
  });
});

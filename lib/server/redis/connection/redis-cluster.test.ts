import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { RedisLeases } from '../redis-leases.ts';
import { becomes, connectTo, hasRedis, newConnection, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import type { RedisConnection } from './redis-connection.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));

describe.skipIf(!hasRedis())('RedisConnection to a cluster', () => {
  /** Two with half of the slots each, and a replica of the one that has ours. */
  let owner: RedisServer;
  let neighbour: RedisServer;
  let replica: RedisServer;
  let connection: RedisConnection;

  beforeAll(async () => {
    // Longer than the test: on a busy machine a node that is only slow would be taken for a dead one, and one of two owners that misses the other stops.
    const options = ['cluster-enabled yes', 'cluster-node-timeout 60000', 'cluster-require-full-coverage no'];
    const nodes = await Promise.all([0, 1, 2].map(() => startRedis(options)));
    [owner, neighbour, replica] = nodes as [RedisServer, RedisServer, RedisServer];
    const slot = Number(await owner.admin('CLUSTER', 'KEYSLOT', '{lookout:1}'));
    const halves = [
      ['0', '8191'],
      ['8192', '16383'],
    ] as const;
    const [ours, theirs] = slot < 8192 ? halves : [halves[1], halves[0]];
    await owner.admin('CLUSTER', 'ADDSLOTSRANGE', ...ours);
    await neighbour.admin('CLUSTER', 'ADDSLOTSRANGE', ...theirs);
    for (const each of [neighbour, replica]) await owner.admin('CLUSTER', 'MEET', '127.0.0.1', String(each.port));
    await until(async () => String(await replica.admin('CLUSTER', 'NODES')).split('\n').length === 4);
    await replica.admin('CLUSTER', 'REPLICATE', String(await owner.admin('CLUSTER', 'MYID')));
    await until(async () => String(await replica.admin('INFO', 'replication')).includes('master_link_status:up'));
    for (const each of [owner, neighbour, replica])
      await until(async () => String(await each.admin('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    connection = await connectTo(neighbour.target, { timeoutMs: 2000 });
  });
  afterAll(async () => {
    connection.close();
    await Promise.all([owner, neighbour, replica].map((each) => each.remove()));
  });

  test('by any of its nodes it comes to the one that has our keys', async () => {
    expect(await connection.send(['CONFIG', 'GET', 'port'])).toMatchObject({ port: String(owner.port) });
    expect(await new RedisLeases(connection).acquire('area', 1000, NOW)).toMatchObject({ name: 'area' });
  });

  test('when another one takes the keys over, it goes there, whoever is gone', async () => {
    await neighbour.kill();
    await replica.admin('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await until(async () => String(await replica.admin('INFO', 'replication')).includes('role:master'));
    await until(async () => String(await owner.admin('INFO', 'replication')).includes('role:slave'));
    await connection.send(['SET', '{lookout:1}:n', '1']).catch(() => undefined);
    await becomes(connection, 'reachable');
    expect(await connection.send(['CONFIG', 'GET', 'port'])).toMatchObject({ port: String(replica.port) });
    expect(await connection.send(['SET', '{lookout:1}:n', '1'])).toBe('OK');
  });

  test('a database that a cluster does not have is refused, and it is said why', async () => {
    const wrong = newConnection({ ...owner.target, database: 1 });
    await new Promise<void>((resolve) => wrong.onChange(() => resolve()));
    const reason = expect.stringContaining('SELECT is not allowed in cluster mode');
    expect(wrong.state).toMatchObject({ kind: 'lost', problem: 'refused', reason });
    wrong.close();
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20);
}

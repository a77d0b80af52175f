import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisTarget } from './redis-target.ts';

const GROUP = 'MyGroup';

describe.skipIf(!hasRedis())('RedisConnection by Sentinels', () => {
  let primary: RedisServer;
  let replicas: RedisServer[];
  let promoted: RedisServer;
  let sentinels: RedisServer[];
  let connection: RedisConnection;

  beforeAll(async () => {
    primary = await startRedis();
    replicas = await Promise.all([0, 1].map(() => startRedis([`replicaof 127.0.0.1 ${primary.port}`])));
    for (const replica of replicas) {
      await until(async () => String(await replica.admin('INFO', 'replication')).includes('master_link_status:up'));
    }
    const watch = [
      `sentinel monitor ${GROUP} 127.0.0.1 ${primary.port} 2`,
      `sentinel down-after-milliseconds ${GROUP} 300`,
      `sentinel failover-timeout ${GROUP} 2000`,
    ];
    sentinels = await Promise.all([0, 1, 2].map(() => startRedis(watch, 'sentinel')));
    await until(async () =>
      (await Promise.all(sentinels.map((each) => each.admin('SENTINEL', 'CKQUORUM', GROUP).catch(String)))).every(
        (text) => String(text).startsWith('OK 3'),
      ),
    );
    const at = { group: GROUP, sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })) };
    const target: RedisTarget = { ...primary.target, at };
    connection = await connectTo(target, { timeoutMs: 2000 });
  });
  afterAll(async () => {
    connection.close();
    await Promise.all([primary, ...replicas, ...sentinels].map((each) => each.remove()));
  });

  test('the primary stands still: another one takes over, and the old one is left when it goes on', async () => {
    const before = connection.state.kind === 'reachable' ? connection.state.server : '';
    primary.pause();
    await becomes(connection, 'lost');
    await becomes(connection, 'reachable');
    expect(connection.state).not.toMatchObject({ server: before });
    const { port } = (await connection.send(['CONFIG', 'GET', 'port'])) as { readonly port: string };
    [promoted] = replicas.filter((replica) => String(replica.port) === port) as [RedisServer];
    primary.resume();
    expect(await connection.send(['SET', 'n', '2'])).toBe('OK');
    expect(await promoted.admin('GET', 'n')).toBe('2');
  });

  // Last, as a Sentinel that stood still for long takes no part in a failover for half a minute.
  test('without most of the Sentinels the connection is given up, as the others may have named another primary', async () => {
    await connection.send(['SET', 'n', '1']);
    for (const sentinel of sentinels.slice(0, 2)) sentinel.pause();
    await becomes(connection, 'lost');
    expect(connection.state).toMatchObject({ reason: expect.stringContaining(`1 name 127.0.0.1:${promoted.port}`) });
    for (const sentinel of sentinels) sentinel.resume();
    await becomes(connection, 'reachable');
    expect(await connection.send(['GET', 'n'])).toBe('1');
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20);
}

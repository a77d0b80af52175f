import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type RunningService, startService } from '#service/server/start-service.ts';
import { eventually } from '#testing/eventually.ts';
import { steadyTraffic } from '#testing/live-harness.ts';
import { type SharedServer, startSharedServer } from '#testing/shared-servers.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { type DatabaseTarget, openDatabase } from '../database/open-database.ts';
import type { PostgresTarget } from '../database/postgres-target.ts';
import { LoadQueues } from '../history/load-queues.ts';
import { WantedParts } from '../history/parts/wanted-parts.ts';
import { Operators } from '../sign-in/operators.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { Alarms } from '../zones/alarms/alarms.ts';
import { Zones } from '../zones/zones.ts';

const TOPICS = 'seek retry plan demand frame lease session operator zones alarms wanted-part answered-part proof';
const ODD = [
  '',
  ' ',
  'x',
  '{}',
  '{"id":1}',
  '1 2',
  'account',
  'adsb',
  "'",
  '-1 99999999999999999999',
  'é\n\n',
  '\\',
  'a'.repeat(7900),
];

describePostgres('a role without any right on the tables', (databases) => {
  let service: RunningService;
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await service?.close(0);
  });
  const servers: SharedServer[] = [];
  let odd = 0;

  async function stranger(target: DatabaseTarget): Promise<(payload: string) => Promise<unknown>> {
    const { host, port, database } = target as PostgresTarget;
    databases.cluster.sql('drop role if exists stranger');
    databases.cluster.sql('create role stranger login');
    const client = new Client({ host, port, database, user: 'stranger' });
    await client.connect();
    ends.push(() => client.end());
    return (payload) => client.query("select pg_notify('lookout', $1)", [payload]);
  }

  async function start(count: number): Promise<DatabaseTarget> {
    service = await startService({ source: steadyTraffic(3), now: () => upstreamInstant(Date.now()) });
    const target = databases.newTarget();
    for (let index = 0; index < count; index++) {
      const database = await openDatabase(target, {
        odd: (ignored) => {
          odd += ignored;
        },
      });
      const server = await startSharedServer(`server-${index}`, database, service);
      servers.push(server);
      ends.push(async () => {
        servers.length = 0;
        await server.close();
        await database.close();
      });
      await listenAll(database);
    }
    return target;
  }

  async function listenAll(database: Database): Promise<void> {
    const now = () => upstreamInstant(Date.now());
    const operators = await Operators.open(database, strictSupervisor().part('operators'));
    const sessions = new Sessions(database, () => Date.now() as never, strictSupervisor().part('sessions'));
    const alarms = new Alarms(database, now);
    const loads = new LoadQueues({ database: database, part: strictSupervisor().part('history') });
    const wanted = new WantedParts(database, 'account');
    const stops = [wanted.onWanted(() => {}), wanted.onAnswered(() => {}), new Zones(database, now).onChange(() => {})];
    ends.push(
      () => operators.close(),
      () => sessions.shutDown(),
      () => alarms.close(),
      () => loads.close(),
      ...stops,
    );
  }

  test('ends no server by what it sends, and the servers say so once a minute', async () => {
    const target = await start(2);
    const send = await stranger(target);
    odd = 0;
    await send('');
    for (const topic of TOPICS.split(' ')) for (const text of ODD) await send(`${topic} ${text}`);
    await eventually(() => expect(odd).toBe(2));
    // Later notices arrive after all of these.
    await eventually(() => expect(servers.filter(({ lease }) => lease.fence !== undefined)).toHaveLength(1));
    const view = { west: 8, south: 47, east: 9, north: 48 };
    for (const [index, { reader }] of servers.entries())
      await eventually(async () => {
        const { layers } = await reader.read({ operator: 'a', session: undefined, page: `${index}` }, view, ['adsb']);
        expect(layers.adsb?.state).toBe('fresh');
      });
  });

  test('differs from a server, whose notices another one receives before it listens', async () => {
    const target = databases.newTarget();
    const counted: number[] = [];
    const one = await openDatabase(target);
    const starting = await openDatabase(target, { odd: (count) => counted.push(count) });
    ends.push(
      () => one.close(),
      () => starting.close(),
    );
    const received = Promise.withResolvers<void>();
    starting.listen('zones', () => received.resolve());
    await one.notify(one.query, 'lease');
    await one.notify(one.query, 'plan', '7 1');
    await one.notify(one.query, 'zones');
    await received.promise;
    expect(counted).toEqual([]);
    const send = await stranger(target);
    await send('other ');
    await eventually(() => expect(counted).toEqual([1]));
  });

  test('moves no load', async () => {
    const target = await start(1);
    const send = await stranger(target);
    const [here, there] = [await databases.open(target), await databases.open(target)];
    const [loads, far] = [
      new LoadQueues({ database: here, part: strictSupervisor().part('history') }),
      new LoadQueues({ database: there, part: strictSupervisor().part('history') }),
    ];
    ends.push(
      () => loads.close(),
      () => far.close(),
    );
    let moves = 0;
    loads.enter('alice', { name: 'one', seek: () => moves++ }, new AbortController().signal);
    const from = upstreamInstant(1000);
    await eventually(async () => expect(await far.seek('alice', 'one', from)).toBe(true));
    const before = moves;
    await send('seek {"id":"x","operator":"alice","name":"one","from":5}');
    await send('seek {"operator":"alice","name":"one","from_ms":5}');
    await send('seek ');
    expect(await far.seek('alice', 'two', from)).toBe(false);
    expect(moves).toBe(before);
  });

  test('cannot connect once CONNECT is revoked from PUBLIC, and the owner still can', async () => {
    const target = databases.newEmptyTarget() as PostgresTarget;
    const { host, port, database } = target;
    databases.cluster.sql(`create role owner_${database} login`);
    databases.cluster.sql(`alter database ${database} owner to owner_${database}`);
    databases.cluster.sql(`revoke connect, temporary on database ${database} from public`);
    databases.cluster.sql('revoke create on schema public from public', database);
    databases.cluster.sql(`create role outsider_${database} login`);
    const outsider = new Client({ host, port, database, user: `outsider_${database}` });
    await expect(outsider.connect()).rejects.toThrow(/permission denied for database/);
    await databases.open({ ...target, user: `owner_${database}` });
  });
});

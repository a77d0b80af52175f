import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from './postgres-cluster.fixture.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)('the tables of a database', () => {
  let cluster: Cluster;
  beforeAll(() => {
    cluster = startCluster(programs as string);
  }, 60_000);
  afterAll(() => cluster?.remove());

  const open = (database?: string, makes = true) =>
    openPostgres(cluster.target(database), { makes, log: (entry) => expect.fail(entry) });

  test('of a release that had accounts only get those of the past, also by a command, and keep what they have', async () => {
    const first = await open();
    const { database } = first.target;
    await first.query('drop table lookout.past, lookout.past_frame, lookout.past_segment, lookout.past_day');
    await first.query('update lookout.machine set version = 1');
    await first.query(
      "insert into lookout.audit (at, by, act, account, folded_account, details) values (1, 'a', 'b', 'c', 'c', '')",
    );
    await first.close();
    for (const makes of [false, true]) {
      const next = await open(database, makes);
      expect(await next.query('select version from lookout.machine')).toEqual([{ version: 2 }]);
      expect(await next.query('select term from lookout.past')).toEqual([{ term: 0 }]);
      expect(await next.query('select act from lookout.audit')).toEqual([{ act: 'b' }]);
      await next.close();
    }
  });

  test('of a later release are left as they are', async () => {
    const first = await open();
    await first.query('update lookout.machine set version = 3');
    await first.close();
    await expect(open(first.target.database)).rejects.toThrow('run the same release of the service on every machine');
  });
});

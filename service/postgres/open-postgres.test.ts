import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from './postgres-cluster.fixture.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)('the tables of a database', () => {
  let cluster: Cluster;
  beforeAll(() => {
    cluster = startCluster(programs as string);
  });
  afterAll(() => cluster?.remove());

  const open = (database?: string, makes = true) =>
    openPostgres(cluster.target(database), { makes, log: (entry) => expect.fail(entry) });

  test.each([
    [1, 'lookout.past, lookout.past_frame, lookout.past_segment, lookout.past_day, lookout.fix_inbox'],
    [2, 'lookout.fix_inbox'],
  ])('of version %i get those of later ones, also by a command, and keep what they have', async (version, lacking) => {
    const first = await open();
    const { database } = first.target;
    await first.query(`drop table ${lacking}`);
    await first.query('update lookout.machine set version = $1', [version]);
    await first.query(
      "insert into lookout.audit (at, by, act, account, folded_account, details) values (1, 'a', 'b', 'c', 'c', '')",
    );
    await first.close();
    for (const makes of [false, true]) {
      const next = await open(database, makes);
      expect(await next.query('select version from lookout.machine')).toEqual([{ version: 3 }]);
      expect(await next.query('select term from lookout.past')).toEqual([{ term: 0 }]);
      expect(await next.query('select from lookout.fix_inbox')).toEqual([]);
      expect(await next.query('select act from lookout.audit')).toEqual([{ act: 'b' }]);
      await next.close();
    }
  });

  test('of a later release are left as they are', async () => {
    const first = await open();
    await first.query('update lookout.machine set version = 4');
    await first.close();
    await expect(open(first.target.database)).rejects.toThrow('run the same release of the service on every machine');
  });
});

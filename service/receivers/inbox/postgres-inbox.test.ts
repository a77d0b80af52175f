import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../postgres/open-postgres.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../postgres/postgres-cluster.fixture.ts';
import { PostgresInbox } from './postgres-inbox.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)('the inbox in PostgreSQL', () => {
  let cluster: Cluster;
  let postgres: Postgres;
  let dropped: number[];
  beforeAll(async () => {
    cluster = startCluster(programs as string);
    postgres = await openPostgres(cluster.target(), { makes: true, log: () => undefined });
  });
  afterAll(async () => {
    await postgres?.close();
    cluster?.remove();
  });
  beforeEach(async () => {
    dropped = [];
    await postgres.query('truncate lookout.fix_inbox restart identity');
  });

  const open = (maxBytes?: number) =>
    new PostgresInbox({
      postgres,
      onDropped: (fixes) => dropped.push(fixes),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
  const bytes = (...values: readonly number[]) => Buffer.from(values);
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

  test('what was put is read until it is removed, by each service, with when it was put', async () => {
    const [one, other] = [open(), open()];
    const before = Date.now();
    await one.put(bytes(1, 2), 1);
    await other.put(bytes(3), 1);
    const rows = await open().read([]);
    expect(rows.map((row) => [row.id, Buffer.from(row.bytes)])).toEqual([
      [1, bytes(1, 2)],
      [2, bytes(3)],
    ]);
    expect(rows[0]!.at).toBeGreaterThanOrEqual(before);
    expect(idsOf(await one.read([1]))).toEqual([2]);
    await other.remove([1]);
    expect(idsOf(await one.read([]))).toEqual([2]);
    expect(dropped).toEqual([]);
  });

  test('what is committed after a later row is read too', async () => {
    const inbox = open();
    const slow = await postgres.openSession();
    await slow.within(async (query) => {
      await query("insert into lookout.fix_inbox (at, fixes, bytes) values (0, 1, '')");
      await inbox.put(bytes(2), 1);
      expect(idsOf(await inbox.read([]))).toEqual([2]);
      // As `put` does it in a moment.
      await query('update lookout.fix_inbox set at = (extract(epoch from clock_timestamp()) * 1000)::bigint');
    });
    await slow.close();
    expect(idsOf(await inbox.read([2]))).toEqual([1]);
  });

  test('while nobody records, what is half a minute old is dropped and counted', async () => {
    await open().put(bytes(1), 7);
    await open().put(bytes(2), 5);
    await postgres.query('update lookout.fix_inbox set at = at - 30000 where id = 1');
    await open().put(bytes(3), 1);
    expect(idsOf(await open().read([]))).toEqual([2, 3]);
    expect(dropped).toEqual([7]);
  });

  test('of too many bytes the oldest go', async () => {
    for (let count = 0; count < 5; count += 1) await open(25).put(Buffer.alloc(10), count);
    expect(idsOf(await open().read([]))).toEqual([4, 5]);
    expect(dropped).toEqual([0, 1, 2].filter((fixes) => fixes > 0));
  });
});

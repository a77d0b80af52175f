import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { LeaseLost, requireLease } from '../database/writer-lease.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { WriterElection } from './writer-election.ts';

const log = pino({ level: 'silent' });
const elections: WriterElection[] = [];

async function sits(database: Database, name: string): Promise<WriterElection> {
  const lease = new WriterElection({ database, name, part: strictSupervisor().part('writer'), log });
  elections.push(lease);
  await lease.start();
  return lease;
}

const fenced = (database: Database, fence: number) =>
  database.change((query) => requireLease(query, database.dialect, fence));

describePostgres('the lease of the writer', (databases) => {
  const { newTarget, open } = databases;
  afterEach(async () => {
    await Promise.all(elections.splice(0).map((lease) => lease.close()));
  });

  test('has one server; its lease ends when that gives it up, and another one takes it under the next fence', async () => {
    const target = newTarget();
    const [one, other] = [await open(target), await open(target)];
    const first = await sits(one, 'first');
    const second = await sits(other, 'second');
    const fence = first.fence ?? 0;
    expect([fence > 0, second.fence]).toEqual([true, undefined]);
    await fenced(one, fence);
    await first.close();
    const { rows } = await sql<{ fence: number; until_ms: number }>`select * from writer, writer_lease`.execute(
      one.query,
    );
    const [lease] = rows;
    expect(lease?.until_ms === 0 || (lease?.fence ?? 0) > fence, 'given up, or taken since').toBe(true);
    await eventually(() => expect(second.fence).toBeGreaterThan(fence));
    expect(first.fence).toBeUndefined();
    await expect(fenced(one, fence)).rejects.toThrow(LeaseLost);
    await fenced(other, second.fence ?? 0);
  });

  test('is given up before its lease ends where the database does not answer, and taken again', async () => {
    const cluster = databases.newCluster();
    const database = await open(cluster.target());
    const lease = await sits(database, 'only');
    const fence = lease.fence ?? 0;
    const changes: (number | undefined)[] = [];
    lease.onChange(() => changes.push(lease.fence));
    cluster.stop();
    try {
      await eventually(() => expect(changes).toEqual([undefined]), 20);
    } finally {
      cluster.start();
    }
    await eventually(() => expect(lease.fence).toBeGreaterThan(fence), 20);
  });

  test('a takeover waits for a change under the fence before it', async () => {
    const target = newTarget();
    const [one, other] = [await open(target), await open(target)];
    const first = await sits(one, 'first');
    const fence = first.fence ?? 0;
    const second = new WriterElection({
      database: other,
      name: 'second',
      part: strictSupervisor().part('writer'),
      log,
    });
    elections.push(second);
    let isChanged = false;
    await one.change(async (query) => {
      await requireLease(query, 'postgres', fence);
      await sql`update writer_lease set until_ms = 0`.execute(other.query);
      void second.start().then(() => expect(isChanged).toBe(true));
      await eventually(async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*) as waiting from pg_stat_activity 
          where datname = current_database() and wait_event_type = 'Lock'
        `.execute(other.query);
        expect(Number(rows[0]?.waiting)).toBeGreaterThan(0);
      });
      isChanged = true;
    });
    await eventually(() => expect(second.fence).toBeGreaterThan(fence), 20);
  });
});

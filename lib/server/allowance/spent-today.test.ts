import { expect, test, vi } from 'vitest';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { SpentToday } from './spent-today.ts';

const EVENING = instantOf('2026-11-22T23:59:59Z');
const MIDNIGHT = instantOf('2026-11-23T00:00:00Z');

const readsOf = async (spent: SpentToday, operator: string, at: UpstreamInstant) => (await spent.read(at))(operator);

test('counts in memory before the database is open', async () => {
  const spent = new SpentToday();
  spent.add('ada', 'history', EVENING);
  expect(await readsOf(spent, 'ada', EVENING)).toEqual({ past: 1, firstViews: 0 });
});

test('ends after the write under way, so that the database can close', async () => {
  const { promise: written, resolve: end } = Promise.withResolvers<void>();
  const change = vi.fn(() => written);
  const spent = new SpentToday({
    database: { change } as unknown as Database,
    part: strictSupervisor().part('spending'),
  });
  spent.add('ada', 'history', EVENING);
  await vi.waitFor(() => expect(change).toHaveBeenCalledOnce(), 3000);
  let isClosed = false;
  const closing = spent.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  end();
  await closing;
});

describeDatabases('what operators have spent today', (databases) => {
  const { dialect, newTarget, open, testOnce } = databases;

  test('counts requests for the operator who caused them, at all servers, and none that viewers share', async () => {
    const target = newTarget();
    const [one, other] = [
      new SpentToday({ database: await open(target), part: strictSupervisor().part('spending') }),
      new SpentToday({ database: await open(target), part: strictSupervisor().part('spending') }),
    ];
    for (const spending of ['history', 'first-view', 'scheduled', 'history'] as const)
      one.add('ada', spending, EVENING);
    other.add('ada', 'history', EVENING);
    other.add('__proto__ Ünï\n', 'first-view', EVENING);
    const become = (operator: string, past: number, firstViews: number) =>
      eventually(async () => {
        for (const each of [one, other]) expect(await readsOf(each, operator, EVENING)).toEqual({ past, firstViews });
      });
    await become('ada', 3, 1);
    await become('__proto__ Ünï\n', 0, 1);
    await become('ben', 0, 0);
    one.add('ada', 'first-view', EVENING);
    await become('ada', 3, 2);
    await Promise.all([one.close(), other.close()]);
  });

  testOnce('goes on after a restart, and ends at midnight UTC of the upstream', async () => {
    const database = await open();
    const before = new SpentToday({ database, part: strictSupervisor().part('spending') });
    before.add('ada', 'history', EVENING);
    await before.close();
    const after = new SpentToday({ database, part: strictSupervisor().part('spending') });
    after.add('ada', 'first-view', EVENING);
    expect(await readsOf(after, 'ada', EVENING)).toEqual({ past: 1, firstViews: 1 });
    expect(await readsOf(after, 'ada', MIDNIGHT)).toEqual({ past: 0, firstViews: 0 });
    after.add('ada', 'first-view', MIDNIGHT);
    expect(await readsOf(after, 'ada', MIDNIGHT)).toEqual({ past: 0, firstViews: 1 });
    await after.close();
    const days = await database.query.selectFrom('spent').select('day').distinct().execute();
    expect(days).toEqual([{ day: '2026-11-23' }]);
  });

  if (dialect === 'postgres')
    test('is written when the database is back, and counts nothing twice', async () => {
      const cluster = databases.newCluster();
      const target = cluster.target();
      const [one, other] = [
        new SpentToday({ database: await open(target), part: strictSupervisor().part('spending') }),
        new SpentToday({ database: await open(target), part: strictSupervisor().part('spending') }),
      ];
      one.add('ada', 'history', EVENING);
      await eventually(async () => expect(await readsOf(other, 'ada', EVENING)).toMatchObject({ past: 1 }));
      cluster.stop();
      try {
        one.add('ada', 'history', EVENING);
        await expect(one.read(EVENING)).rejects.toThrow('cannot be reached');
      } finally {
        cluster.start();
      }
      one.add('ada', 'history', EVENING);
      await eventually(async () => expect(await readsOf(other, 'ada', EVENING)).toMatchObject({ past: 3 }));
      expect(await readsOf(one, 'ada', EVENING)).toEqual({ past: 3, firstViews: 0 });
      await Promise.all([one.close(), other.close()]);
    });
});

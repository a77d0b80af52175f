import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { timeOf } from './crossing-world.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';
import { WatchedLedger } from './watched-ledger.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const FENCE = 0;
const STEPS = 120;

const addZone = async ({ zones, current }: RunningWatch) => {
  const { id } = await zones.add(al, newZone({ rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] }));
  await current.read();
  return id;
};

async function recorded(database: Database): Promise<readonly string[]> {
  const rows = await database.query.selectFrom('alarm').selectAll().execute();
  return rows
    .map(({ ref, kind, opened_ms, ended, count }) => [ref, kind, opened_ms, ended, count].join(' '))
    .sort(compareTexts);
}

const compareTexts = (one: string, other: string) => (one < other ? -1 : 1);

/** Gaps hide ends. */
const openings = (alarms: readonly string[]) => alarms.map((alarm) => alarm.split(' ').slice(0, 3).join(' '));

async function uninterrupted(steps = STEPS): Promise<readonly string[]> {
  const database = await memoryDatabase();
  const running = await RunningWatch.start(database, new SwitchableLease(FENCE));
  await addZone(running);
  for (let step = 0; step < steps; step++) await running.read(step);
  await running.close();
  const alarms = await recorded(database);
  await database.close();
  return alarms;
}

describeDatabases('the watch of zones', (databases) => {
  const { dialect, open, newTarget, testOnce } = databases;

  testOnce('finds each crossing once, however often an answer is read and the server restarted', async () => {
    const target = newTarget();
    const lease = new SwitchableLease(FENCE);
    let running = await RunningWatch.start(await open(target), lease);
    await addZone(running);
    for (let step = 0; step < STEPS; step++) {
      await running.read(step);
      if (step % 3 === 0) await running.read(step);
      if (step % 17 === 0) {
        await running.close();
        running = await RunningWatch.start(await open(target), lease, step);
        await running.read(step);
      }
    }
    await running.close();
    const alarms = await recorded(await open(target));
    expect(alarms).toEqual(await uninterrupted());
    expect(alarms.length).toBeGreaterThan(15);
  });

  testOnce('a long outage is not watched, ends nothing, and what history has of it is found once', async () => {
    const target = newTarget();
    const database = await open(target);
    const running = await RunningWatch.start(database, new SwitchableLease(FENCE));
    const zone = await addZone(running);
    const ended = async () => (await recorded(database)).filter((alarm) => alarm.includes('left')).length;
    for (let step = 0; step < 40; step++) await running.read(step);
    const before = await ended();
    for (let step = 40; step < 70; step++) await running.pass(step);
    expect(await ended()).toBe(before);
    let now = timeOf(70);
    const ledger = new WatchedLedger(
      database,
      running.current,
      () => now,
      () => [],
    );
    const stretches = async () => (await ledger.between(zone, timeOf(0), timeOf(STEPS))).stretches;
    expect((await stretches()).map(({ state, reason }) => [state, reason])).toEqual([
      ['watched', null],
      ['not_watched', 'upstream'],
    ]);
    for (let step = 70; step < STEPS; step++) await running.read(step);
    const missed = openings(await recorded(database));
    await running.makeUp();
    await running.makeUp();
    const found = openings(await recorded(database));
    expect(found.length).toBeGreaterThan(missed.length);
    expect(new Set(found).size).toBe(found.length);
    expect((await stretches()).map(({ state }) => state)).toEqual(['watched']);
    const late = await database.query.selectFrom('alarm').selectAll().where('found_later_ms', 'is not', null).execute();
    expect(late.length).toBe(found.length - missed.length);
    now = timeOf(STEPS + 60);
    expect((await ledger.between(zone, timeOf(STEPS), now)).stretches.map(({ reason }) => reason)).toEqual([
      'no_writer',
    ]);
    expect((await ledger.between(zone, timeOf(STEPS - 2), now)).stretches.map(({ reason }) => reason)).toEqual([
      null,
      'no_writer',
    ]);
    await running.close();
  });

  testOnce('loads the stored state once for each turn as the writer, not for each read', async () => {
    const database = await open();
    const lease = new SwitchableLease(FENCE);
    const running = await RunningWatch.start(database, lease);
    await addZone(running);
    for (let step = 0; step < STEPS; step++) {
      await running.read(step);
      await database.query.deleteFrom('alarm_state').execute();
    }
    expect(await recorded(database)).toEqual(await uninterrupted());
    await running.close();
  });

  testOnce('a zone that is changed ends its alarms by that, and one that is removed is watched no more', async () => {
    const database = await open();
    const running = await RunningWatch.start(database, new SwitchableLease(FENCE));
    const id = await addZone(running);
    let step = 0;
    const isOpen = async () => (await recorded(database)).some((alarm) => alarm.split(' ')[3] === '');
    while (!(await isOpen())) await running.read(step++);
    const { mine: _, owner: _1, id: _2, changed_at: _3, removed_at: _4, ...zone } = await running.zones.visible(al, id);
    await running.zones.change(al, id, { ...zone, rules: [] });
    await running.current.read();
    await running.pass(step);
    expect(await isOpen()).toBe(false);
    expect((await recorded(database)).some((alarm) => alarm.includes('rule_changed'))).toBe(true);
    const { length } = await recorded(database);
    await running.zones.remove(al, id);
    await running.current.read();
    for (const endStep = step + 40; step < endStep; step++) await running.read(step);
    expect(await recorded(database)).toHaveLength(length);
    await running.close();
  });

  testOnce('knows when it evaluated last, as long as it has the lease', async () => {
    const database = await open();
    const lease = new SwitchableLease(FENCE);
    const running = await RunningWatch.start(database, lease);
    await addZone(running);
    await running.read(3);
    expect(running.watch.evaluatedAt).toBe(timeOf(3));
    lease.fence = undefined;
    await running.pass(4);
    expect(running.watch.evaluatedAt).toBeUndefined();
    await running.close();
  });

  test.runIf(dialect === 'postgres')(
    'evaluates what was read while the database was away, once it is back',
    async () => {
      const cluster = databases.newCluster();
      const database = await open(cluster.target());
      const running = await RunningWatch.start(database, new SwitchableLease(FENCE));
      await addZone(running);
      for (let step = 0; step < 10; step++) await running.read(step);
      cluster.stop();
      const reads = Array.from({ length: 30 }, (_, index) => running.read(10 + index));
      cluster.start();
      await Promise.all(reads);
      for (let step = 40; step < STEPS; step++) await running.read(step);
      await running.close();
      expect(await recorded(database)).toEqual(await uninterrupted());
    },
  );

  test.runIf(dialect === 'postgres')(
    'through twenty failovers, with two servers that both think they are the writer for a while',
    async () => {
      const target = newTarget();
      const database = await open(target);
      const leases = [new SwitchableLease(FENCE), new SwitchableLease(undefined)] as const;
      const servers = await Promise.all(leases.map(async (lease) => RunningWatch.start(await open(target), lease)));
      await addZone(servers[0]!);
      await servers[1]!.current.read();
      let fence = FENCE;
      for (let step = 0; step < STEPS; step++) {
        await Promise.all(servers.map((server) => server.read(step)));
        if (step % 6 !== 5) continue;
        const [from, to] = fence % 2 === 0 ? leases : ([leases[1], leases[0]] as const);
        fence++;
        await sql`update writer set fence = ${fence}`.execute(database.query);
        to.fence = fence;
        // The previous writer does not know yet.
        await Promise.all(servers.map((server) => server.read(step)));
        from.fence = undefined;
      }
      expect(fence).toBe(20);
      await Promise.all(servers.map((server) => server.close()));
      expect(await recorded(database)).toEqual(await uninterrupted());
    },
  );
});

import { beforeEach, expect, test } from 'vitest';
import { presenceSchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { DatabaseTarget } from '../../database/open-database.ts';
import { patientSupervisor } from '../../supervision/supervisor.fixture.ts';
import { AlarmDays } from './alarm-days.ts';
import { Presence } from './presence.ts';
import { OPENED_AT } from './transition.fixture.ts';

const al = { owner: 'al', name: 'Al' };
const bea = { owner: 'oidc:bea', name: 'Bea' };
const at = (seconds: number) => addMs(OPENED_AT, seconds * 1000);

describeDatabases('open pages', (databases) => {
  const { dialect, newTarget, open, testOnce } = databases;
  let opened: Database[];
  let one: Presence;
  let other: Presence;
  async function servers(target: DatabaseTarget): Promise<[Presence, Presence]> {
    opened = [await open(target), await open(target)];
    return opened.map((database) => new Presence(database, patientSupervisor().part('presence'))) as [
      Presence,
      Presence,
    ];
  }
  beforeEach(async () => {
    [one, other] = await servers(newTarget());
  });
  const rows = async () => (await opened[0]!.query.selectFrom('presence').selectAll().execute()).length;
  const read = async (presence: Presence, from = -600, to = 3600) =>
    presenceSchema
      .parse(await presence.between(at(from), at(to)))
      .operators?.map(({ operator, stretches }) => [operator, ...stretches.map((each) => [each.from, each.to])]);
  const span = (from: number, to: number) => [formatInstant(at(from)), formatInstant(at(to))];

  test('are one row a stretch, whichever servers answer, and written together', async () => {
    for (let second = 0; second <= 600; second += 20) {
      (second % 40 === 0 ? one : other).received(al, at(second));
      if (second % 60 === 0) await Promise.all([one.write(), other.write()]);
    }
    one.received(bea, at(590));
    await one.close();
    await other.close();
    expect(await rows()).toBe(2);
    expect(await read(other)).toEqual([
      ['Al', span(0, 600)],
      ['Bea', span(590, 590)],
    ]);
  });

  testOnce('end with an absence of more than a minute, and are shown before they are written', async () => {
    for (const second of [0, 20, 80, 141, 160]) one.received(al, at(second));
    const expected = [['Al', span(0, 80), span(141, 160)]];
    expect([await rows(), await read(one)]).toEqual([0, expected]);
    await one.write();
    expect([await rows(), await read(other)]).toEqual([2, expected]);
    one.received(al, at(180));
    expect(await read(one, 20, 150)).toEqual([['Al', span(20, 80), span(141, 150)]]);
    expect(await read(one, 90, 100)).toEqual([]);
  });

  test('of servers that write the same time are one stretch', async () => {
    for (const presence of [one, other]) for (const second of [0, 50, 100]) presence.received(al, at(second));
    await Promise.all([one.write(), other.write()]);
    other.received(al, at(110));
    await other.write();
    expect(await read(one)).toEqual([['Al', span(0, 110)]]);
  });

  if (dialect === 'postgres')
    test('are written once the database is back', async () => {
      const cluster = databases.newCluster();
      [one, other] = await servers(cluster.target());
      one.received(al, at(0));
      cluster.stop();
      try {
        await one.write();
        await expect(one.between(at(0), at(1))).rejects.toThrow(DatabaseFailure);
      } finally {
        cluster.start();
      }
      await eventually(async () => {
        await one.write();
        expect(await read(other)).toEqual([['Al', span(0, 0)]]);
      });
    });

  testOnce('are deleted after the days of the log, and not recorded without sign-in', async () => {
    one.received({ owner: undefined, name: '' }, at(0));
    one.received(al, at(0));
    await one.write();
    expect(await rows()).toBe(1);
    const [database] = opened as [Database];
    const days = new AlarmDays({
      part: patientSupervisor().part('cleaning'),
      database,
      lease: { fence: 0, onChange: () => () => undefined },
      days: 1,
      now: () => at(86_401),
    });
    await days.prune();
    days.close();
    expect(await rows()).toBe(0);
  });
});

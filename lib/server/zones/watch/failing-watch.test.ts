import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { formatInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { patientSupervisor } from '../../supervision/supervisor.fixture.ts';
import { newZone } from '../new-zone.fixture.ts';
import { timeOf } from './crossing-world.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';
import { WatchedLedger } from './watched-ledger.ts';

const al = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const FENCE = 0;
const STEPS = 40;
/** Seconds of the world's clock. */
const BROKEN_AT = 20;

const BREAKS = [
  ['stretches', 'zone_stretch rename to gone', 'gone rename to zone_stretch'],
  ['a column of alarms', 'alarm rename column evidence to gone', 'alarm rename column gone to evidence'],
  ['the state', 'alarm_state rename column state to gone', 'alarm_state rename column gone to state'],
] as const;

describeDatabases('a watch whose database does not fit', ({ open, dialect }) => {
  const alter = (database: Database, what: string) => sql.raw(`alter table ${what}`).execute(database.query);
  const alarms = async (database: Database) => {
    const rows = await database.query.selectFrom('alarm').select(['ref', 'kind', 'opened_ms']).execute();
    return rows
      .map(({ ref, kind, opened_ms }) => [ref, kind, opened_ms].join(' '))
      .toSorted((one, other) => (one < other ? -1 : 1));
  };

  async function start(database: Database) {
    const supervisor = patientSupervisor();
    const running = await RunningWatch.start(database, new SwitchableLease(FENCE), 0, supervisor);
    const { id } = await running.zones.add(al, newZone({ rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] }));
    await running.current.read();
    let now = timeOf(0);
    const failing = () => supervisor.failing.map((failure) => ({ ...failure, since: timeOf(BROKEN_AT) }));
    const ledger = new WatchedLedger(database, running.current, () => now, failing);
    return {
      running,
      supervisor,
      shown: async (step: number) => {
        now = timeOf(step);
        return (await ledger.present()).get(id);
      },
      reason: async (from: number, to: number) => {
        now = timeOf(to);
        const { stretches } = await ledger.between(id, timeOf(from), timeOf(to));
        return stretches.at(-1);
      },
    };
  }

  async function uninterrupted() {
    const database = await open();
    const { running } = await start(database);
    for (let step = 0; step < STEPS; step++) await running.read(step);
    await running.close();
    return alarms(database);
  }

  test.each(BREAKS)(
    'shows that zones are not watched without %s, and evaluates what was read once it is mended',
    async (_, breaks, mends) => {
      const database = await open();
      const { running, supervisor, shown } = await start(database);
      for (let step = 0; step < BROKEN_AT; step++) await running.read(step);
      expect(await shown(BROKEN_AT)).toMatchObject({ state: 'watched' });
      await alter(database, breaks);
      const reads = Array.from({ length: STEPS - BROKEN_AT }, (_, index) => running.read(BROKEN_AT + index));
      await eventually(async () =>
        expect(await shown(BROKEN_AT)).toEqual({
          state: 'not_watched',
          since: formatInstant(timeOf(BROKEN_AT)),
          reason: 'watch_failed',
          layers: [
            { layer: 'rid', state: 'not_watched', since: formatInstant(timeOf(BROKEN_AT)), reason: 'watch_failed' },
          ],
        }),
      );
      expect(supervisor.recent).toMatchObject([{ part: 'watch', reason: 'database_damaged' }]);
      await alter(database, mends);
      await Promise.all(reads);
      expect(supervisor.failing).toEqual([]);
      expect(await shown(STEPS)).toMatchObject({ state: 'watched' });
      expect(await alarms(database)).toEqual(await uninterrupted());
      await running.close();
    },
  );

  test('drops a batch that the database refuses, and says so of the time without one', async () => {
    const database = await open();
    const { running, supervisor, shown, reason } = await start(database);
    for (let step = 0; step < BROKEN_AT; step++) await running.read(step);
    const refuses =
      dialect === 'sqlite'
        ? "create trigger refuse before insert on alarm_state begin select raise(abort, 'refused'); end"
        : 'alter table alarm_state add constraint refuse check (false) not valid';
    await sql.raw(refuses).execute(database.query);
    for (let step = BROKEN_AT; step < STEPS; step++) await running.read(step);
    expect(supervisor.recent).toMatchObject([{ part: 'watch', reason: 'defect' }]);
    expect(await shown(STEPS)).toMatchObject({ state: 'not_watched', reason: 'watch_failed' });
    const accepts = dialect === 'sqlite' ? 'drop trigger refuse' : 'alter table alarm_state drop constraint refuse';
    await sql.raw(accepts).execute(database.query);
    await running.read(STEPS);
    expect(await reason(BROKEN_AT, STEPS)).toMatchObject({ state: 'not_watched', reason: 'watch_failed' });
    await running.read(STEPS + 1);
    expect(await shown(STEPS + 1)).toMatchObject({ state: 'watched' });
    await running.close();
  });
});

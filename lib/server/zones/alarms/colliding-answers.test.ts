import { beforeEach, describe, expect, test } from 'vitest';
import { alarmsQuerySchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { Zones } from '../zones.ts';
import { AlarmStore } from './alarm-store.ts';
import { Alarms } from './alarms.ts';
import { copyFirstAlarm } from './many-alarms.fixture.ts';
import { OPENED_AT, transition } from './transition.fixture.ts';

const callerNamed = (name: string): ZoneCaller => ({ owner: name, name, actor: name, isAdmin: false });
const [al, bea, cy] = [callerNamed('al'), callerNamed('bea'), callerNamed('cy')];
function never(): never {
  throw new Error('there is no zone');
}

const at = (seconds: number) => addMs(OPENED_AT, seconds * 1000);

describeDatabases('two operators who answer one alarm at two servers', ({ newTarget, open, testOnce }) => {
  let database: Database;
  let one: Alarms;
  let other: Alarms;
  let id = '';
  let zone = '';
  let now = at(2);
  let commit: (...transitions: Transition[]) => Promise<void>;
  beforeEach(async () => {
    now = at(2);
    const target = newTarget();
    database = await open(target);
    one = new Alarms(database, () => now);
    other = new Alarms(await open(target), () => now);
    zone = (await new Zones(database, () => now).add(al, newZone({ name: 'Gate', shared: true }))).id;
    const store = new AlarmStore(database);
    commit = async (...transitions) => {
      await store.commit({ rows: [], transitions, stretches: [], madeUp: [], at: now }, 0);
    };
    await commit(transition(zone, { key: 'a' }));
    id = (await one.list(al, {})).alarms[0]!.id;
    return () => {
      one.close();
      other.close();
    };
  });
  const read = async () => (await one.one(al, id))!;
  const acknowledge = (alarms: Alarms, caller: ZoneCaller, revision: number, comment = '') =>
    alarms.acknowledge(caller, id, { revision, until: null, comment });
  const close = (alarms: Alarms, caller: ZoneCaller, revision: number, comment = '') =>
    alarms.finish(caller, id, { revision, as: 'nuisance', comment });
  const conflict = (message: RegExp) => ({ code: 'revision_conflict', message: expect.stringMatching(message) });

  testOnce('a closing is not overwritten: the second operator reads by whom, when, as what and why', async () => {
    await close(one, bea, 0, 'a bird');
    await expect(close(other, al, 0, 'police drone')).rejects.toMatchObject(
      conflict(/^Closed as nuisance by bea at 12:00:02Z: “a bird”\. Nothing of yours was stored/),
    );
    expect(await read()).toMatchObject({ revision: 1, closed: { by: 'bea', comment: 'a bird' } });
  });

  test('of two closings at once, exactly one is stored', async () => {
    const closed = await Promise.allSettled([close(one, al, 0, 'mine'), close(other, bea, 0, 'mine')]);
    expect(closed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { notes, closed: stored } = await read();
    expect(notes).toHaveLength(1);
    expect(stored?.by).toBe(closed[0].status === 'fulfilled' ? 'al' : 'bea');
  });

  test('of ten acknowledgements at once, exactly one is stored', async () => {
    const done = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => acknowledge(index % 2 ? one : other, index % 2 ? al : bea, 0)),
    );
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await read()).notes).toHaveLength(1);
  });

  testOnce('an acknowledgement after an unread closing is refused', async () => {
    await close(one, bea, 0);
    await expect(acknowledge(other, al, 0, 'I go')).rejects.toMatchObject(conflict(/^Closed as nuisance by bea/));
    expect((await read()).acknowledged).toBeNull();
  });

  testOnce('a closing after an unread acknowledgement is refused, and says until when', async () => {
    await one.acknowledge(bea, id, { revision: 0, until: formatInstant(at(600)), comment: 'I go and look' });
    await expect(close(other, al, 0)).rejects.toMatchObject(
      conflict(/^Acknowledged by bea at 12:00:02Z, until 12:10:00Z: “I go and look”\./),
    );
  });

  testOnce('several unread answers are all told', async () => {
    await acknowledge(one, bea, 0, 'first');
    await close(one, cy, 1, 'second');
    await expect(close(other, al, 0)).rejects.toMatchObject(conflict(/“first”\. Closed as nuisance by cy.*“second”/));
  });

  testOnce('an answer to the read one is added, and every comment stays, also in the log and the search', async () => {
    await acknowledge(one, bea, 0, 'on my way');
    await close(other, al, 1, 'a kite');
    await close(one, bea, 2, 'no, a drone');
    const alarm = await read();
    expect(alarm.revision).toBe(3);
    expect(alarm.notes.map(({ kind, by, comment }) => [kind, by, comment])).toEqual([
      ['acknowledged', 'bea', 'on my way'],
      ['closed', 'al', 'a kite'],
      ['closed', 'bea', 'no, a drone'],
    ]);
    expect(alarm.closed).toMatchObject({ by: 'bea', comment: 'no, a drone' });
    for (const text of ['ON MY', 'a kite', 'no, a drone', 'bea'])
      expect((await other.list(cy, alarmsQuerySchema.parse({ text }))).alarms).toHaveLength(1);
    expect((await other.list(cy, alarmsQuerySchema.parse({ text: 'comment' }))).alarms).toEqual([]);
  });

  testOnce('a transition of the alarm meanwhile is no conflict', async () => {
    await commit(transition(zone, { key: 'a', type: 'ended', at: at(20), end: 'left' }));
    expect(await acknowledge(other, al, 0, 'seen')).toMatchObject({ state: 'ended', revision: 1 });
  });

  testOnce('the same operator on a second, older page does not undo the first', async () => {
    await close(one, al, 0, 'from the desk');
    await expect(acknowledge(other, al, 0, 'from the phone')).rejects.toMatchObject(conflict(/“from the desk”/));
  });

  testOnce('a revision that does not exist yet is refused', async () => {
    await expect(close(one, al, 7)).rejects.toMatchObject(conflict(/^The alarm is at revision 0/));
  });

  testOnce('a zone that is private meanwhile tells the others nothing by a conflict', async () => {
    const zones = new Zones(database, () => now);
    const [{ id: _, mine, owner, changed_at, removed_at, ...content } = never()] = await zones.list(al);
    await close(one, al, 0, 'secret');
    await zones.change(al, zone, { ...content, shared: false });
    await expect(close(other, bea, 0)).rejects.toMatchObject({ code: 'not_found' });
  });

  describe('an acknowledgement of several alarms', () => {
    const acknowledgeAll = (alarms: readonly { readonly id: string; readonly revision: number }[]) =>
      other.acknowledgeAll(al, { alarms: [...alarms], until: null, comment: 'a show' });

    test('is stored for alarms without another answer, and names the operators who were faster at the others', async () => {
      await commit(transition(zone, { key: 'b', ref: 'b' }), transition(zone, { key: 'c', ref: 'c' }));
      const alarms = (await one.list(al, {})).alarms;
      const [first, second, third] = alarms;
      await one.finish(bea, second!.id, { revision: 0, as: 'nuisance', comment: 'a bird' });
      const unknown = { id: '00000000-0000-4000-8000-000000000000', revision: 0 };
      const { next } = await one.list(al, {});
      const answered = await acknowledgeAll([first!, second!, unknown, third!]);
      expect(answered.map(({ alarm, refusal }) => alarm?.acknowledged?.by ?? refusal?.code)).toEqual([
        'al',
        'revision_conflict',
        'not_found',
        'al',
      ]);
      expect(answered[1]?.refusal?.message).toBe('Closed as nuisance by bea at 12:00:02Z: “a bird”.');
      const changed = (await one.list(al, { since: next })).alarms;
      expect(changed.map(({ id, revision, notes }) => [id, revision, notes.map(({ comment }) => comment)])).toEqual([
        [first!.id, 1, ['a show']],
        [third!.id, 1, ['a show']],
      ]);
      expect((await one.one(al, second!.id))?.acknowledged).toBeNull();
    });

    test('stores nothing where it fails in the middle', async () => {
      await copyFirstAlarm(database, 499);
      const { query } = database;
      const rows = await query.selectFrom('alarm').select(['id', 'revision']).orderBy('change').execute();
      // The note of the last alarm meets one that is there already.
      const last = rows.at(-1)!;
      const note = { kind: 'closed', operator: 'cy', until_ms: null, closed_as: 'handled', comment: '', at_ms: 0 };
      await query
        .insertInto('alarm_note')
        .values({ ...note, alarm_id: last.id, number: 1 })
        .execute();
      const stored = async () => ({
        alarms: await query.selectFrom('alarm').select(['id', 'revision', 'acknowledged_by', 'change']).execute(),
        notes: await query.selectFrom('alarm_note').selectAll().execute(),
        levels: await query.selectFrom('stored_level').selectAll().execute(),
        change: await query.selectFrom('alarm_change').selectAll().execute(),
      });
      const before = await stored();
      await expect(acknowledgeAll(rows)).rejects.toThrow();
      expect(await stored()).toEqual(before);
      expect((await acknowledgeAll(rows.slice(0, -1))).filter(({ alarm }) => alarm)).toHaveLength(499);
    });

    test('of two at once, each alarm has exactly one', async () => {
      await copyFirstAlarm(database, 9);
      const rows = (await one.list(al, {})).alarms;
      const how = { alarms: rows.map(({ id: each, revision }) => ({ id: each, revision })), until: null, comment: '' };
      const done = await Promise.all([one.acknowledgeAll(al, how), other.acknowledgeAll(bea, how)]);
      expect(done.flat().filter(({ alarm }) => alarm)).toHaveLength(10);
      expect((await one.list(al, {})).alarms.map(({ notes }) => notes.length)).toEqual(Array(10).fill(1));
    });

    testOnce('counts each of its alarms in what its operator may store in a day', async () => {
      await copyFirstAlarm(database, 9);
      const rows = (await one.list(al, {})).alarms;
      await acknowledgeAll(rows);
      const levels = database.query.selectFrom('stored_level').where('kind', '=', 'answers to alarms').select('bytes');
      expect((await levels.executeTakeFirst())?.bytes).toBe(10 * (200 + 'a show'.length));
    });
  });

  describe('one alarm', () => {
    testOnce('takes a hundred answers and no more', async () => {
      for (let revision = 0; revision < 100; revision++) await acknowledge(one, al, revision);
      await expect(acknowledge(one, al, 100)).rejects.toMatchObject({ code: 'not_possible' });
    });
  });
});

import { beforeEach, expect, test } from 'vitest';
import { alarmsQuerySchema, alarmsSchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { describeOneDatabase } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { Zones } from '../zones.ts';
import { AlarmStore } from './alarm-store.ts';
import { Alarms } from './alarms.ts';
import { OPENED_AT, transition } from './transition.fixture.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
const FENCE = 0;
const at = (seconds: number) => addMs(OPENED_AT, seconds * 1000);

describeOneDatabase('acknowledgements of alarms', ({ newTarget, open }) => {
  let database: Database;
  let one: Alarms;
  let other: Alarms;
  let store: AlarmStore;
  let zone: string;
  let now = at(2);
  beforeEach(async () => {
    now = at(2);
    const target = newTarget();
    database = await open(target);
    one = new Alarms(database, () => now);
    other = new Alarms(await open(target), () => now);
    store = new AlarmStore(database);
    zone = (await new Zones(database, () => now).add(al, newZone({ name: 'Gate', shared: true }))).id;
    return () => {
      one.close();
      other.close();
    };
  });
  const commit = async (...transitions: Transition[]) => {
    await store.commit({ rows: [], transitions, stretches: [], madeUp: [], at: now }, FENCE);
    one.changed();
  };
  const list = async (query: Record<string, string> = {}, caller = al, alarms = other) =>
    alarmsSchema.parse(await alarms.list(caller, alarmsQuerySchema.parse(query)));

  test('cover the same reference under the same rule until their end', async () => {
    await commit(transition(zone, { key: 'first' }));
    const [first] = (await list()).alarms;
    await one.acknowledge(bea, first!.id, { revision: 0, until: formatInstant(at(600)), comment: 'a drill' });
    await commit(
      transition(zone, { key: 'covered', at: at(300) }),
      transition(zone, { key: 'later', at: at(600) }),
      transition(zone, { key: 'another', at: at(300), ref: 'b' }),
      transition(zone, { key: 'rule', at: at(300), rule: 'cc9a0b6c-2b1f-4a53-9d0f-2b1a4c7d9e10' }),
    );
    const { alarms } = await list();
    expect(alarms.map(({ acknowledged }) => acknowledged?.by)).toEqual(['Bea', 'Bea', undefined, undefined, undefined]);
    expect(alarms[1]?.acknowledged).toEqual({
      by: 'Bea',
      at: formatInstant(at(2)),
      until: formatInstant(at(600)),
      comment: 'a drill',
    });
  });

  test('stay while the same track sways out of the zone and back, and end without a notice', async () => {
    await commit(transition(zone));
    const [first] = (await list()).alarms;
    await one.acknowledge(bea, first!.id, { revision: 0, until: formatInstant(at(60)), comment: '' });
    await commit(
      transition(zone, { type: 'ended', at: at(20), end: 'left' }),
      transition(zone, { type: 'reopened', at: at(30), count: 2 }),
    );
    const { alarms, next } = await list({ state: 'acknowledged' });
    expect(alarms).toMatchObject([{ count: 2, state: 'open', acknowledged: { by: 'Bea' } }]);
    now = at(61);
    expect((await list({ state: 'new' })).alarms).toHaveLength(1);
    expect((await list({ since: next })).alarms).toEqual([]);
  });

  test('without an end do not cover the next alarm', async () => {
    await commit(transition(zone, { key: 'first' }));
    const [first] = (await list()).alarms;
    await one.acknowledge(al, first!.id, { revision: 0, until: null, comment: '' });
    await commit(transition(zone, { key: 'second', at: at(300) }));
    expect((await list({ state: 'new' })).alarms).toMatchObject([{ opened_at: formatInstant(at(300)) }]);
  });

  test('and closings select what is left to do', async () => {
    await commit(...['a', 'b', 'c'].map((ref) => transition(zone, { key: ref, ref })));
    const [a, b] = (await list()).alarms;
    await one.acknowledge(al, a!.id, { revision: 0, until: formatInstant(at(60)), comment: 'Seen on the 50% lens' });
    await other.finish(bea, b!.id, { revision: 0, as: 'nuisance', comment: '' });
    const refs = async (query: Record<string, string>) => (await list(query)).alarms.map(({ track }) => track);
    expect([await refs({ state: 'new' }), await refs({ state: 'acknowledged' })]).toEqual([['c'], ['a']]);
    expect((await list({ state: 'closed' })).alarms).toMatchObject([{ closed: { by: 'Bea', as: 'nuisance' } }]);
    now = at(61);
    expect([await refs({ state: 'new' }), await refs({ state: 'acknowledged' })]).toEqual([['c', 'a'], []]);
    expect([await refs({ text: '50% LENS' }), await refs({ text: '50_' }), await refs({ text: 'gate' })]).toEqual([
      ['a'],
      [],
      ['c', 'a', 'b'],
    ]);
  });
});

import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { alarmsQuerySchema, alarmsSchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import { LeaseLost } from '../../database/writer-lease.ts';
import { refusalOf } from '../../views/refusal-of.fixture.ts';
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

describeDatabases('alarms', ({ dialect, newTarget, open, testOnce }) => {
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

  testOnce('a failure of the database reaches all waiting pages, which do not query again', async () => {
    let queries = 0;
    const failing = {
      get query(): never {
        queries++;
        throw new DatabaseFailure('lost', 'for the log');
      },
      listen: database.listen.bind(database),
    };
    const alarms = new Alarms(failing as unknown as Database, () => now);
    const waits = [1, 2, 3].map(() => alarms.list(al, { since: '1', wait: 20_000 }));
    const kinds = await Promise.all(waits.map((wait) => wait.catch((error: unknown) => error)));
    expect(kinds).toMatchObject(Array(3).fill({ kind: 'lost' }));
    expect(queries).toBe(1);
  });

  testOnce('hundreds of waiting pages of an operator cost one query of a change, and get the same answer', async () => {
    await commit(transition(zone, { key: 'before' }));
    let queries = 0;
    const counted = database.query.withPlugin({
      transformQuery: ({ node }) => {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const listen = database.listen.bind(database);
    const alarms = new Alarms({ query: counted, listen, dialect } as unknown as Database, () => now);
    const { next } = await alarms.list(al, {});
    const waits = Array.from({ length: 400 }, (_, index) =>
      alarms.list(index % 2 ? al : bea, { since: next, wait: 20_000 }),
    );
    await eventually(() => expect(alarms.waiting).toBe(400));
    // The answers to the first reads, which are nothing new.
    await alarms.list(al, {});
    await commit(transition(zone, { key: 'news', ref: 'b' }));
    queries = 0;
    alarms.changed();
    const answers = await Promise.all(waits);
    expect(new Set(answers.map(({ alarms: [first] }) => first?.track))).toEqual(new Set(['b']));
    // Each of the two operators: the number of the change, and the alarms.
    expect(queries).toBeLessThanOrEqual(8);
    alarms.close();
  });

  testOnce('an operator waits with at most 16 different filters', async () => {
    const waits = Array.from({ length: 16 }, (_, index) =>
      one.list(al, { since: '99', text: `a${index}`, wait: 5000 }),
    );
    const again = one.list(al, { since: '99', text: 'a3', wait: 5000 });
    expect(await refusalOf(() => one.list(al, { since: '99', text: 'other', wait: 5000 }))).toBe('too_many_requests');
    const bea16 = one.list(bea, { since: '99', text: 'other', wait: 5000 });
    one.close();
    await Promise.all([...waits, again, bea16]);
    await one.list(al, { since: '99', text: 'other', wait: 1 });
  });

  test('has one row for each alarm, whichever transitions are written again', async () => {
    const opened = transition(zone);
    await commit(opened);
    await commit(opened, transition(zone, { type: 'ended', at: at(30), end: 'left' }));
    const { alarms } = await list();
    expect(alarms).toMatchObject([
      {
        zone: { id: zone, name: 'Gate', revision: 1 },
        track: 'a',
        kind: 'entered',
        state: 'ended',
        ended: 'left',
        count: 1,
        found_later: null,
        opened_at: formatInstant(OPENED_AT),
        decided_at: formatInstant(at(2)),
        ended_at: formatInstant(at(30)),
        evidence: [{ observed_at: formatInstant(at(-5)) }, { observed_at: formatInstant(OPENED_AT) }],
      },
    ]);
    const outbox = await database.query.selectFrom('alarm_outbox').select('type').orderBy('change').execute();
    expect(outbox.map(({ type }) => type)).toEqual(['opened', 'ended']);
  });

  testOnce('go through gaps and come back as the same alarm', async () => {
    const states = async () =>
      (await list()).alarms.map(({ state, count, unknown_since }) => [state, count, unknown_since]);
    await commit(transition(zone), transition(zone, { type: 'unknown', at: at(20), reason: 'upstream' }));
    expect(await states()).toEqual([['unknown', 1, formatInstant(at(20))]]);
    await commit(transition(zone, { type: 'known', at: at(90) }));
    expect(await states()).toEqual([['open', 1, null]]);
    await commit(transition(zone, { type: 'ended', at: at(95), end: 'left' }));
    await commit(transition(zone, { type: 'reopened', at: at(99), count: 2 }));
    expect(await states()).toEqual([['open', 2, null]]);
  });

  testOnce('are announced once the permit that covered them has ended', async () => {
    await commit(transition(zone, { expected: true }));
    expect((await list()).alarms.map(({ expected }) => expected)).toEqual([true]);
    await commit(transition(zone, { type: 'reopened', at: at(60), count: 2, expected: false }));
    expect((await list()).alarms.map(({ expected, count }) => [expected, count])).toEqual([[false, 2]]);
  });

  testOnce('say how much later they were found, and where a reference perhaps came back', async () => {
    now = at(420);
    await commit(
      transition(zone, { key: 'first', ref: 'a' }),
      transition(zone, { key: 'second', ref: 'b', found: 'history', perhapsSameAs: 'first' }),
    );
    const { alarms } = await list();
    expect(alarms.map(({ found_later }) => found_later)).toEqual([null, 420]);
    expect(alarms[1]?.perhaps_same_as).toBe(alarms[0]?.id);
  });

  testOnce('are read on from the last answer, or from a time', async () => {
    const empty = await list();
    expect(empty).toEqual({ alarms: [], next: '0' });
    await commit(transition(zone, { key: 'first', ref: 'a' }));
    const first = await list({ since: empty.next });
    now = at(10);
    await commit(transition(zone, { key: 'second', ref: 'b' }));
    const second = await list({ since: first.next });
    expect([first, second].map(({ alarms }) => alarms.map(({ track }) => track))).toEqual([['a'], ['b']]);
    expect((await list({ since: second.next })).alarms).toEqual([]);
    expect((await list({ since: formatInstant(at(5)) })).alarms).toEqual(second.alarms);
    expect(await refusalOf(() => list({ since: 'yesterday' }))).toBe('bad_query');
  });

  testOnce('are read in pieces, without leaving one out', async () => {
    await commit(...Array.from({ length: 1200 }, (_, index) => transition(zone, { key: `${index}`, ref: `${index}` })));
    const seen: string[] = [];
    for (let next = '0', before = ''; next !== before; ) {
      const answer = await list({ since: next });
      seen.push(...answer.alarms.map(({ track }) => track ?? ''));
      before = next;
      next = answer.next;
    }
    expect(seen).toEqual(Array.from({ length: 1200 }, (_, index) => `${index}`));
  });

  testOnce('are seen by those who see their zone, also once it is removed', async () => {
    const zones = new Zones(database, () => now);
    const own = await zones.add(al, newZone({ name: 'Own' }));
    await commit(transition(zone), transition(own.id));
    const seen = async (caller: ZoneCaller) => (await list({}, caller)).alarms.map((alarm) => alarm.zone.name);
    expect([await seen(al), await seen(bea)]).toEqual([['Gate', 'Own'], ['Gate']]);
    await zones.remove(al, zone);
    await zones.remove(al, own.id);
    expect([await seen(al), await seen(bea)]).toEqual([['Gate', 'Own'], ['Gate']]);
    const [hidden] = (await list({ zone: own.id })).alarms;
    expect(
      await refusalOf(() => one.acknowledge(bea, hidden?.id ?? '', { revision: 0, until: null, comment: '' })),
    ).toBe('not_found');
  });

  test('answer waiting callers of every server as soon as there are some', async () => {
    const waiting = [one, other].map((alarms) => list({ since: '0', wait: '20000' }, bea, alarms));
    await commit(transition(zone));
    const answers = await Promise.all(waiting);
    expect(answers.map(({ alarms }) => alarms.length)).toEqual([1, 1]);
    expect((await list({ since: answers[0]!.next, wait: '1' })).alarms).toEqual([]);
    const left = list({ since: answers[0]!.next, wait: '20000' }, al, one);
    one.close();
    expect((await left).alarms).toEqual([]);
  });

  test.runIf(dialect === 'postgres')('are not written once another server is the writer', async () => {
    await sql`update writer set fence = 7`.execute(database.query);
    await expect(commit(transition(zone))).rejects.toThrow(LeaseLost);
    expect((await list()).alarms).toEqual([]);
    expect(await database.query.selectFrom('alarm_outbox').selectAll().execute()).toEqual([]);
  });

  testOnce('acknowledgements cover the same reference under the same rule until their end', async () => {
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

  testOnce(
    'acknowledgements stay while the same track sways out of the zone and back, and end without a notice',
    async () => {
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
    },
  );

  testOnce('acknowledgements without an end do not cover the next alarm', async () => {
    await commit(transition(zone, { key: 'first' }));
    const [first] = (await list()).alarms;
    await one.acknowledge(al, first!.id, { revision: 0, until: null, comment: '' });
    await commit(transition(zone, { key: 'second', at: at(300) }));
    expect((await list({ state: 'new' })).alarms).toMatchObject([{ opened_at: formatInstant(at(300)) }]);
  });

  testOnce('acknowledgements and closings select what is left to do', async () => {
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

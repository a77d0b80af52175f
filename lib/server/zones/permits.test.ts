import { beforeEach, expect, test } from 'vitest';
import type { NewPermit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { PERMITS_MAX } from '#lib/zones/zone-limits.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { AlarmStore } from './alarms/alarm-store.ts';
import { Alarms } from './alarms/alarms.ts';
import { OPENED_AT, transition } from './alarms/transition.fixture.ts';
import { CurrentZones } from './current-zones.ts';
import { newZone } from './new-zone.fixture.ts';
import { Permits } from './permits.ts';
import type { ZoneCaller } from './zone-rows.ts';
import { Zones } from './zones.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
const CROSSED: [number, number][] = [
  [0, 0],
  [1, 1],
  [1, 0],
  [0, 1],
  [0, 0],
];

describeDatabases('permits', ({ newTarget, open, testOnce }) => {
  let now: UpstreamInstant;
  let database: Database;
  let zones: Zones;
  let alarms: Alarms;
  let permits: Permits;
  let zone: Zone;
  beforeEach(async () => {
    now = addMs(OPENED_AT, MINUTE_MS);
    database = await open(newTarget());
    zones = new Zones(database, () => now);
    alarms = new Alarms(database, () => now);
    permits = new Permits(database, () => now, alarms);
    zone = await zones.add(al, newZone({ shared: true }));
  });

  const later = (ms: number) => formatInstant(addMs(now, ms));
  const permit = (change: Partial<NewPermit> = {}): NewPermit => ({
    zone: zone.id,
    name: 'Survey flight, police',
    layers: ['rid'],
    track: null,
    shape: null,
    vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
    expects_flight: false,
    start: later(0),
    end: later(2 * HOUR_MS),
    ...change,
  });
  const circle = (radius_m: number) => ({
    type: 'Circle' as const,
    centre: [8.5, 47.4] as [number, number],
    radius_m,
  });
  const made = async (change: Partial<NewPermit> = {}, caller = al) =>
    (await permits.add(caller, { permits: [permit(change)], alarms: [] })).permits[0]!;
  const names = async (caller: ZoneCaller, window?: Parameters<Permits['list']>[1]) =>
    (await permits.list(caller, window)).permits.map(({ name, state }) => `${name}: ${state}`);

  const commit = (...transitions: readonly Transition[]) =>
    new AlarmStore(database).commit({ rows: [], transitions, stretches: [], madeUp: [], at: now }, 0);

  test('are made, changed and ended by every operator who sees the zone, and name who did it', async () => {
    const first = await made();
    expect(first).toMatchObject({ revision: 1, state: 'current', made_by: 'Al', zone: { id: zone.id }, changed: null });
    const { zone: _, ...terms } = permit({ name: 'Survey flight', end: later(HOUR_MS) });
    const changed = await permits.change(bea, first.id, { ...terms, revision: 1 });
    expect(changed).toMatchObject({ revision: 2, name: 'Survey flight', changed: { by: 'Bea' } });
    expect(await refusalOf(() => permits.change(al, first.id, { ...terms, revision: 1 }))).toBe('revision_conflict');
    expect(await permits.list(al)).toEqual({ permits: [changed], cut: false });
    const ended = await permits.end(al, first.id, 2);
    expect(ended).toMatchObject({ state: 'ended', ended: { by: 'Al', at: formatInstant(now) }, end: terms.end });
    expect(await refusalOf(() => permits.end(al, first.id, 3))).toBe('not_possible');
  });

  testOnce('are seen with their zone alone, and not made in a zone that is hidden or removed', async () => {
    const hidden = await zones.add(al, newZone({ name: 'Own', shared: false }));
    const own = await made({ zone: hidden.id, name: 'Own' });
    await made({ name: 'Shared' });
    expect(await names(al)).toEqual(['Own: current', 'Shared: current']);
    expect(await names(bea)).toEqual(['Shared: current']);
    expect(await refusalOf(() => made({ zone: hidden.id }, bea))).toBe('not_found');
    expect(await refusalOf(() => permits.end(bea, own.id, 1))).toBe('not_found');
    await zones.remove(al, zone.id);
    expect(await names(al)).toEqual(['Own: current']);
    expect(await refusalOf(() => made())).toBe('not_found');
  });

  testOnce('are listed while current, coming or ended lately, and by the window in which they were valid', async () => {
    await made({ name: 'Old', start: later(-9 * DAY_MS), end: later(-8 * DAY_MS) });
    await made({ name: 'Late', start: later(-2 * DAY_MS), end: later(-DAY_MS) });
    await made({ name: 'Now' });
    const coming = await made({ name: 'Coming', start: later(HOUR_MS), end: later(2 * HOUR_MS) });
    expect(await names(al)).toEqual(['Now: current', 'Coming: coming', 'Late: ended']);
    const shift = { start: addMs(now, -HOUR_MS), end: addMs(now, 3 * HOUR_MS) };
    expect(await names(al, shift)).toEqual(['Now: current', 'Coming: coming']);
    await permits.end(al, coming.id, 1);
    expect(await names(al, shift), 'never valid').toEqual(['Now: current']);
    expect(await names(al, { start: addMs(now, -10 * DAY_MS), end: addMs(now, -8.5 * DAY_MS) })).toEqual([
      'Old: ended',
    ]);
  });

  testOnce('refuse what no evaluation can use', async () => {
    const refusals = [
      { end: later(0) },
      { track: { layer: 'adsb' as const, ref: 'RX-A-1' } },
      { shape: { type: 'Polygon' as const, coordinates: [CROSSED] } },
      { shape: { type: 'Circle' as const, centre: [9, 47.4] as [number, number], radius_m: 2000 } },
      { shape: circle(2100), expects_flight: true },
    ];
    for (const change of refusals) expect(await refusalOf(() => made(change)), JSON.stringify(change)).toBe('bad_body');
    expect(await names(al)).toEqual([]);
  });

  testOnce('reach further by an admin alone: a month ahead, or a day for an area wider than 100 km', async () => {
    const boss: ZoneCaller = { owner: 'boss', name: 'Boss', actor: 'Boss', isAdmin: true };
    const ring = [-89, 89].flatMap((lat) => [-89, 89].map((lon): [number, number] => [lon, lat / 1.2]));
    const world = { type: 'Polygon' as const, coordinates: [[ring[0]!, ring[1]!, ring[3]!, ring[2]!, ring[0]!]] };
    const far = [
      { shape: world, end: later(365 * DAY_MS) },
      { end: later(31 * DAY_MS + MINUTE_MS) },
      { start: later(60 * DAY_MS), end: later(60 * DAY_MS + HOUR_MS) },
      { shape: world, end: later(25 * HOUR_MS) },
      { shape: circle(50_100), end: later(25 * HOUR_MS) },
    ];
    for (const change of far) expect(await refusalOf(() => made(change)), JSON.stringify(change)).toBe('needs_admin');
    for (const change of far) await made(change, boss);
    expect(await refusalOf(() => made({ end: later(400 * DAY_MS) }, boss))).toBe('bad_body');
    await made({ shape: circle(48_000), end: later(31 * DAY_MS) });
    await made({ shape: world, end: later(24 * HOUR_MS) });
    await made({ track: { layer: 'rid', ref: 'RX-D-1' }, shape: world, end: later(25 * HOUR_MS) });
    const year = await made({ name: 'Year', end: later(365 * DAY_MS) }, boss);
    const { zone: _, ...terms } = permit({ end: later(365 * DAY_MS) });
    expect(await permits.change(al, year.id, { ...terms, name: 'Helipad', revision: 1 })).toMatchObject({
      revision: 2,
    });
    const wider = { ...terms, layers: ['rid' as const, 'adsb' as const], revision: 2 };
    expect(await refusalOf(() => permits.change(al, year.id, wider))).toBe('needs_admin');
    expect(await permits.end(al, year.id, 2)).toMatchObject({ state: 'ended' });
  });

  testOnce('are bounded for each zone, and stored together or not at all', async () => {
    const many = Array.from({ length: PERMITS_MAX.zone }, (_, index) => permit({ name: `No. ${index}` }));
    const ended = await made();
    expect(await refusalOf(() => permits.add(al, { permits: many, alarms: [] }))).toBe('too_many_permits');
    expect(await names(al)).toHaveLength(1);
    await permits.end(al, ended.id, 1);
    expect((await permits.add(al, { permits: many, alarms: [] })).permits).toHaveLength(PERMITS_MAX.zone);
  });

  test('a version of an operational intent replaces the earlier one in its zone, and an older one is refused', async () => {
    const id = '2f8343be-6482-4d1b-a474-16847e01af1e';
    const volume = (version: number, radius_m: number): Partial<NewPermit> => ({
      name: `Intent of ${radius_m} m`,
      shape: circle(radius_m),
      expects_flight: true,
      intent: { id, version },
    });
    const add = async (...volumes: readonly Partial<NewPermit>[]) =>
      (await permits.add(al, { permits: volumes.map(permit), alarms: [] })).permits;
    const [first, second] = await add(volume(1, 300), volume(1, 400));
    const elsewhere = await zones.add(al, newZone({ name: 'Elsewhere', shared: true }));
    await add({ ...volume(1, 300), zone: elsewhere.id, name: 'Elsewhere' });
    await database.query
      .updateTable('permit')
      .set({ received_ms: Number(now) })
      .where('id', '=', first!.id)
      .execute();
    const { zone: _, ...terms } = permit(volume(1, 300));
    await permits.change(bea, first!.id, { ...terms, revision: 1, name: 'Renamed' });
    now = addMs(now, MINUTE_MS);
    const times = { start: first!.start, end: first!.end };
    const [kept, changed] = await add({ ...volume(3, 300), ...times }, { ...volume(3, 500), ...times });
    expect(kept).toMatchObject({ id: first!.id, name: 'Intent of 300 m', intent: { id, version: 3 } });
    expect(kept!.flight?.received_at).toBe(first!.start);
    expect(changed).toMatchObject({ revision: 1, flight: { received_at: null, watched: null } });
    const replaced = (await permits.list(al)).permits.find((each) => each.id === second!.id);
    expect(replaced).toMatchObject({ state: 'ended', ended: { at: formatInstant(now) }, flight: null });
    const standing = ['Intent of 300 m: current', 'Intent of 500 m: current', 'Elsewhere: current'].sort();
    const current = async () => (await names(al)).filter((each) => each.endsWith('current')).sort();
    expect(await current()).toEqual(standing);
    expect(await refusalOf(() => add(volume(2, 300)))).toBe('revision_conflict');
    expect(await refusalOf(() => add(volume(4, 300), volume(5, 300)))).toBe('revision_conflict');
    const token = { ...bea, isProgram: true };
    expect(await refusalOf(() => permits.add(token, { permits: [permit(volume(4, 300))], alarms: [] }))).toBe(
      'not_owner',
    );
    const again = await add({ ...volume(3, 300), ...times }, { ...volume(3, 500), ...times });
    expect(again.map((each) => each.id)).toEqual([kept!.id, changed!.id]);
    expect(await current()).toEqual(standing);
  });

  testOnce(
    'leave the watch a day after their end, however late that was to be, and are read once until then',
    async () => {
      await made({ name: 'Now' });
      const [row] = await database.query.selectFrom('permit').selectAll().execute();
      const over = Number(now) - 2 * DAY_MS;
      for (let from = 0; from < 10_000; from += 1000) {
        const rows = Array.from({ length: 1000 }, (_, index) => ({
          ...row!,
          id: `over ${from + index}`,
          ended_ms: over,
        }));
        await database.query.insertInto('permit').values(rows).execute();
      }
      const coming = await made({ name: 'Never valid', start: later(HOUR_MS), end: later(2 * HOUR_MS) });
      await permits.end(al, coming.id, 1);
      const lately = await made({ name: 'Ended' });
      now = addMs(now, MINUTE_MS);
      await permits.end(al, lately.id, 1);
      const standing = await permits.standing();
      expect(standing.map(({ id }) => id).sort()).toEqual([row!.id, lately.id].sort());
      expect((await permits.standing())[0]).toBe(standing[0]);
    },
  );

  test('are noted at the alarms that they answer; an alarm that another operator answered keeps no permit from being made', async () => {
    await commit(
      transition(zone.id, { key: 'open', ref: 'a' }),
      transition(zone.id, { key: 'over', ref: 'b' }),
      transition(zone.id, { key: 'over', ref: 'b', type: 'ended', at: addMs(OPENED_AT, 5000), end: 'left' }),
      transition(zone.id, { key: 'seen', ref: 'c' }),
    );
    const all = (await alarms.list(al, {})).alarms;
    const [open, over, seen] = ['a', 'b', 'c'].map((ref) => all.find(({ track }) => track === ref)!);
    await alarms.acknowledge(bea, seen!.id, { revision: 0, until: null, comment: 'known' });
    const { answers } = await permits.add(al, {
      permits: [permit()],
      alarms: [open!, over!, seen!].map(({ id, revision }) => ({ id, revision })),
    });
    expect(answers.map(({ refusal }) => refusal?.code)).toEqual([undefined, undefined, 'revision_conflict']);
    const note = { kind: 'permitted', by: 'Al', until: permit().end, comment: 'Survey flight, police' };
    expect(await alarms.one(al, open!.id)).toMatchObject({ expected: false, notes: [note], revision: 1 });
    expect(
      (await alarms.list(al, { state: 'new' })).alarms.map(({ track }) => track),
      'until it is evaluated',
    ).toEqual(['a']);
    await commit(
      transition(zone.id, { key: 'open', ref: 'a', type: 'permitted', at: addMs(OPENED_AT, 9000), expected: true }),
    );
    const named = { name: 'Survey flight, police', until: permit().end };
    expect(await alarms.one(al, open!.id)).toMatchObject({ expected: true, state: 'open', permit: named });
  });

  testOnce(
    'are named by the alarms that they cover: the one whose volume and layers do, and none where it is not sure',
    async () => {
      const wide = { type: 'Circle' as const, centre: [8.7, 47.5] as [number, number], radius_m: 40_000 };
      zone = await zones.add(al, newZone({ name: 'Wide', shared: true, shape: wide }));
      const around = (lon: number) => ({
        type: 'Circle' as const,
        centre: [lon, 47.5] as [number, number],
        radius_m: 500,
      });
      const here = await made({ name: 'Survey', shape: around(8.5), vertical: null });
      await made({ name: 'Elsewhere', shape: around(8.9), vertical: null });
      await made({ name: 'Jets', layers: ['adsb'], shape: around(8.5), vertical: null });
      const opened = (key: string, change: Partial<Transition> = {}) =>
        transition(zone.id, { key, ref: key, at: addMs(now, 1000), expected: true, ...change });
      const named = async (key: string) =>
        (await alarms.list(al, {})).alarms.find(({ track }) => track === key)?.permit ?? null;
      await commit(opened('inside'), opened('aircraft', { layer: 'adsb' }), opened('not', { expected: false }));
      expect(await named('inside')).toEqual({ name: 'Survey', until: here.end });
      expect(await named('aircraft')).toMatchObject({ name: 'Jets' });
      expect(await named('not')).toBeNull();
      const away = { ...plainPosition, lon: 8.7, observedAt: addMs(now, 1000) };
      await commit(opened('moved', { evidence: [away] }));
      expect(await named('moved'), 'it entered one of two').toBeNull();
    },
  );

  test('reach the watched zone, which stays the same without a change', async () => {
    const current = new CurrentZones(zones, strictSupervisor().part('zones'), permits);
    await current.read();
    const [bare] = current.all;
    expect(bare?.permits).toEqual([]);
    const added = await made();
    await expect.poll(() => current.all[0]?.permits).toMatchObject([{ start: added.start, end: added.end }]);
    const [watched] = current.all;
    await current.fetch();
    expect(current.all[0]).toBe(watched);
    now = addMs(now, HOUR_MS);
    await permits.end(al, added.id, 1);
    await expect.poll(() => current.all[0]?.permits[0]?.end).toBe(formatInstant(now));
    await current.close();
  });
});

import { beforeEach, expect, test } from 'vitest';
import { UNWATCHED_READ_MAX, unwatchedSchema } from '#lib/api/watching/zones.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { describeOneDatabase } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { patientSupervisor } from '../../supervision/supervisor.fixture.ts';
import { chunks } from '../alarms/chunks.ts';
import { CurrentZones } from '../current-zones.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { Zones } from '../zones.ts';
import type { StretchRow } from './stretch-rows.ts';
import { WatchedLedger } from './watched-ledger.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
const at = (time: string) => instantOf(`2026-11-27T${time}:00Z`);
const ms = (time: string) => Date.parse(`2026-11-27T${time}:00Z`);
const onlyRid = newZone().rules.map((rule) => ({ ...rule, layers: ['rid' as const] }));

describeOneDatabase('the ledger of all zones', ({ newTarget, open }) => {
  let database: Database;
  let now: UpstreamInstant;
  let zones: Zones;
  let current: CurrentZones;
  let ledger: WatchedLedger;
  beforeEach(async () => {
    database = await open(newTarget());
    now = at('09:00');
    zones = new Zones(database, () => now);
    current = new CurrentZones(zones, patientSupervisor().part('zones'));
    ledger = new WatchedLedger(
      database,
      current,
      () => now,
      () => [],
    );
    return () => current.close();
  });
  const add = async (name: string, shared = true) =>
    (await zones.add(al, newZone({ name, shared, rules: onlyRid }))).id;
  const insert = async (rows: readonly StretchRow[]) => {
    for await (const values of chunks(rows)) await database.query.insertInto('zone_stretch').values(values).execute();
  };
  const stretch = (zone_id: string, from: string, to: string, reason: string | null = null, layer = 'rid') => {
    const state = reason === null ? 'watched' : 'not_watched';
    return { zone_id, layer, from_ms: ms(from), to_ms: ms(to), state, reason, made_up: 0 as const };
  };
  const read = async (caller = al, start = '08:00', end = '09:00', zone?: string) => {
    await current.read();
    const answer = unwatchedSchema.parse(await ledger.unwatched(caller, { start: at(start), end: at(end), zone }));
    const span = (each: { from: string; to: string }) => `${each.from.slice(11, 16)}–${each.to.slice(11, 16)}`;
    return [
      ...answer.lost.map((each) => `${each.layer} ${span(each)} ${each.reason}`),
      ...answer.unwatched.map((each) => `${each.zone.name} ${span(each)} ${each.reason}`),
      `${answer.zones} zones since ${answer.since.slice(11, 16)}`,
    ];
  };

  test('has a layer that no zone was read for once, and the rest by zone, cut to the window', async () => {
    const [gate, field] = [await add('Gate'), await add('Field')];
    await insert([
      ...[gate, field].map((zone) => stretch(zone, '07:30', '08:10', 'upstream')),
      ...[gate, field].map((zone) => stretch(zone, '08:10', '08:40')),
      stretch(gate, '08:40', '09:30', 'capped'),
      stretch(field, '08:40', '09:30'),
    ]);
    expect(await read()).toEqual(['rid 08:00–08:10 upstream', 'Gate 08:40–09:00 capped', '2 zones since 08:00']);
    expect(await read(al, '08:00', '09:00', gate)).toEqual([
      'Gate 08:00–08:10 upstream',
      'Gate 08:40–09:00 capped',
      '1 zones since 08:00',
    ]);
    expect(await read(al, '10:00', '11:00')).toEqual(['0 zones since 10:00']);
  });

  test('has zones that were removed in the window, and none that the caller does not see', async () => {
    const [own, gone] = [await add('Own', false), await add('Gone')];
    await insert([stretch(own, '07:00', '09:00', 'capped'), stretch(gone, '08:00', '08:50', 'upstream')]);
    now = at('08:50');
    await zones.remove(al, gone);
    now = at('09:00');
    expect(await read()).toEqual([
      'rid 08:50–09:00 capped',
      'Own 08:00–08:50 capped',
      'Gone 08:00–08:50 upstream',
      '2 zones since 08:00',
    ]);
    expect(await read(bea)).toEqual(['rid 08:00–08:50 upstream', '1 zones since 08:00']);
    expect(await read(bea, '08:00', '09:00', own)).toEqual(['0 zones since 08:00']);
    expect(await read(bea, '08:51', '09:00')).toEqual(['0 zones since 08:51']);
  });

  test('says what no writer noted, of the layers that the zone still reads alone', async () => {
    const gate = await add('Gate');
    await insert([stretch(gate, '08:00', '08:20'), stretch(gate, '08:00', '08:10', null, 'adsb')]);
    expect(await read(al, '08:00', '09:00', gate)).toEqual(['Gate 08:20–09:00 no_writer', '1 zones since 08:00']);
  });

  test('sums up each zone of the window: from when it existed, and why it was not watched', async () => {
    const sums = async () => {
      await current.read();
      const answer = await ledger.unwatched(al, {
        start: at('08:00'),
        end: at('16:00'),
        zone: undefined,
        sums: 'true',
      });
      return unwatchedSchema
        .parse(answer)
        .of_zones?.map(({ zone, made_at, removed_at, from, to, sums: its }) => [
          zone.name,
          ...[made_at, removed_at, from, to].map((time) => time?.slice(11, 16) ?? null),
          ...its.map(({ state, reason, seconds }) => `${state} ${reason} ${seconds / 60}`),
        ]);
    };
    now = at('07:00');
    const [gate, gone, old] = [await add('Gate'), await add('Gone'), await add('Old')];
    await zones.add(al, newZone({ name: 'No rule', rules: [] }));
    now = at('07:30');
    await zones.remove(al, old);
    await insert([
      stretch(gate, '07:00', '08:20'),
      stretch(gate, '08:20', '08:30', 'upstream'),
      stretch(gate, '08:30', '09:59'),
      stretch(gone, '07:00', '08:30'),
    ]);
    now = at('08:30');
    await zones.remove(al, gone);
    now = at('09:45');
    const late = await add('Late');
    await insert([stretch(late, '09:45', '09:59')]);
    now = at('10:00');
    expect(await sums()).toEqual([
      ['Gate', null, null, '08:00', '10:00', 'watched null 110', 'not_watched upstream 10'],
      ['Gone', null, '08:30', '08:00', '08:30', 'watched null 30', 'absent null 90'],
      ['Late', '09:45', null, '09:45', '10:00', 'watched null 15', 'absent null 105'],
      ['No rule', null, null, null, null, 'not_watched no_rule 120'],
    ]);
  });

  test('names the time from which it is complete, where there are too many stretches', async () => {
    const gate = await add('Gate');
    now = at('23:59');
    const startMs = ms('00:00');
    const rows = Array.from({ length: UNWATCHED_READ_MAX + 60 }, (_, index) => ({
      ...stretch(gate, '00:00', '00:00', index % 2 === 0 ? 'capped' : null),
      from_ms: startMs + index * 1000,
      to_ms: startMs + (index + 1) * 1000,
    }));
    await insert(rows);
    await current.read();
    const window = { start: at('00:00'), end: at('23:00'), zone: gate };
    const { since, unwatched } = await ledger.unwatched(al, window);
    expect(Date.parse(since) - startMs).toBe(MINUTE_MS + 1);
    expect(unwatched[0]?.from).toBe(since);
    expect(unwatched.filter(({ reason }) => reason === 'capped')).toHaveLength(UNWATCHED_READ_MAX / 2);
  });
});

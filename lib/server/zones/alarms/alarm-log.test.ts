import { parse } from 'csv-parse/sync';
import { beforeEach, expect, test } from 'vitest';
import { alarmExportQuerySchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { describeOneDatabase } from '#testing/test-databases.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { Zones } from '../zones.ts';
import { alarmLog } from './alarm-log.ts';
import { AlarmStore } from './alarm-store.ts';
import { Alarms } from './alarms.ts';
import { OPENED_AT, transition } from './transition.fixture.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: '=Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
const at = (seconds: number) => addMs(OPENED_AT, seconds * 1000);

describeOneDatabase('the exported log of alarms', ({ open }) => {
  let alarms: Alarms;
  let commit: (...transitions: readonly Transition[]) => Promise<void>;
  let [shared, own] = ['', ''];
  beforeEach(async () => {
    const database = await open();
    const zones = new Zones(database, () => OPENED_AT);
    shared = (await zones.add(al, newZone({ name: 'Gate "North"', shared: true }))).id;
    own = (await zones.add(al, newZone({ name: 'Own' }))).id;
    alarms = new Alarms(database, () => OPENED_AT);
    const store = new AlarmStore(database);
    commit = (...transitions) => store.commit({ rows: [], transitions, stretches: [], madeUp: [], at: at(2) }, 0);
    return () => alarms.close();
  });

  const exported = async (query: Record<string, string>, caller = al, max?: number) => {
    const log = await alarmLog(alarms, caller, alarmExportQuerySchema.parse(query), max);
    const chunks: Uint8Array[] = [];
    for await (const chunk of log.body()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const csv = async (query: Record<string, string> = {}, caller = al, max?: number) =>
    parse(await exported({ format: 'csv', ...query }, caller, max), { columns: true }) as Record<string, string>[];
  const geojson = async () => JSON.parse(await exported({ format: 'geojson' }));

  test('has every tag of an alarm in both formats, and no text that a spreadsheet runs', async () => {
    await commit(
      transition(shared, { key: 'a', simulated: true, test: true, expected: true, heightUnknown: true }),
      transition(shared, { key: 'b', ref: 'b', at: at(1), found: 'history', perhapsSameAs: 'a' }),
      transition(shared, { key: 'b', ref: 'b', type: 'ended', at: at(30), end: 'lost' }),
    );
    const [first] = (await alarms.list(al, {})).alarms;
    await alarms.acknowledge(al, first!.id, { revision: 0, until: formatInstant(at(60)), comment: 'a drill,\nseen' });
    await alarms.finish(bea, first!.id, { revision: 1, as: 'expected', comment: '' });
    const [one, other] = await csv();
    expect(one).toMatchObject({
      row: 'alarm',
      zone: 'Gate "North"',
      rule: 'entered',
      track: 'a',
      kind: 'entered',
      state: 'open',
      count: '1',
      simulated: 'true',
      test: 'true',
      expected: 'true',
      height_unknown: 'true',
      found_later_s: '',
      acknowledged_by: "'=Al",
      acknowledged_until: formatInstant(at(60)),
      acknowledged_comment: 'a drill,\nseen',
      closed_by: 'Bea',
      closed_as: 'expected',
      longitude: '8.5',
      latitude: '47.5',
    });
    expect(other).toMatchObject({
      state: 'ended',
      ended: 'lost',
      ended_at: formatInstant(at(30)),
      simulated: 'false',
      found_later_s: '1',
      perhaps_same_as: first!.id,
      acknowledged_by: '',
      closed_by: '',
    });
    const { features, cut } = await geojson();
    expect(cut).toBeNull();
    expect(features).toHaveLength(2);
    expect(features[0]).toMatchObject({
      geometry: { type: 'Point', coordinates: [8.5, 47.5] },
      properties: { zone: 'Gate "North"', simulated: true, test: true, expected: true, closed_as: 'expected' },
    });
    expect(features[0].properties.evidence).toHaveLength(2);
    for (const [name, value] of Object.entries(one ?? {})) {
      if (['row', 'longitude', 'latitude'].includes(name) || value.startsWith("'")) continue;
      expect(String(features[0].properties[name] ?? ''), name).toBe(value);
    }
  });

  test('has every alarm once, by time, however many pages it takes', async () => {
    const count = 1100;
    const all = Array.from({ length: count }, (_, index) =>
      transition(shared, { key: `${index}`, ref: `${index}`, at: at(Math.floor((count - index) / 7)) }),
    );
    await commit(...all);
    const rows = await csv();
    expect(new Set(rows.map(({ track }) => track)).size).toBe(count);
    const times = rows.map(({ opened_at }) => opened_at);
    expect(times.every((time, index) => index === 0 || time! >= times[index - 1]!)).toBe(true);
    expect((await geojson()).features).toHaveLength(count);
    const cut = await csv({}, al, 700);
    expect([cut.length, cut.at(-1)?.row]).toEqual([701, 'cut']);
    expect((await csv({}, al, count)).at(-1)?.row).toBe('alarm');
  });

  test('has what its filter selects, of zones that the caller sees', async () => {
    await commit(
      transition(shared, { key: 'a' }),
      transition(shared, { key: 'b', ref: 'b', at: at(60) }),
      transition(own, { key: 'c', ref: 'c' }),
    );
    const tracks = async (query: Record<string, string>, caller = al) =>
      new Set((await csv(query, caller)).map(({ track }) => track));
    expect(await tracks({})).toEqual(new Set(['a', 'b', 'c']));
    expect(await tracks({}, bea)).toEqual(new Set(['a', 'b']));
    expect(await tracks({ zone: own })).toEqual(new Set(['c']));
    expect(await tracks({ start: formatInstant(at(30)) })).toEqual(new Set(['b']));
    expect(await tracks({ text: 'gate' })).toEqual(new Set(['a', 'b']));
    expect(await exported({ format: 'geojson', zone: own }, bea)).toBe(
      '{"type":"FeatureCollection","features":[\n\n],"cut":null}\n',
    );
  });
});

import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { describeOneDatabase } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { patientSupervisor, strictSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { AlarmStore, type Decided } from '../zones/alarms/alarm-store.ts';
import { OPENED_AT, transition } from '../zones/alarms/transition.fixture.ts';
import { CurrentZones } from '../zones/current-zones.ts';
import { newZone } from '../zones/new-zone.fixture.ts';
import { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { Zones } from '../zones/zones.ts';
import { ZoneStates } from './zone-states.ts';

const DESTINATION = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01';
const AL = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const FENCE = 0;

describeOneDatabase('states of zones', ({ open }) => {
  let database: Database;
  let zones: Zones;
  let current: CurrentZones;
  let states: ZoneStates;
  let supervisor: Supervisor;
  beforeEach(async () => {
    database = await open();
    supervisor = patientSupervisor();
    const now = () => addMs(OPENED_AT, 10_000);
    zones = new Zones(database, now);
    current = new CurrentZones(zones, strictSupervisor().part('zones'));
    states = new ZoneStates({
      database,
      current,
      watched: new WatchedLedger(database, current, now, () => []),
      part: supervisor.part('zone_states'),
    });
    await addDestination(DESTINATION);
    return () => current.close();
  });

  async function addDestination(id: string): Promise<void> {
    const row = {
      id,
      revision: 1,
      name: id,
      is_on: 1 as const,
      kind: 'mqtt' as const,
      config: '{}',
      secrets: '[]',
      units: 'metric',
      time_zone: 'UTC',
      announces: '[]',
      group_s: 0,
      notices_an_hour: null,
      all_alarms: 0 as const,
      own_receivers: 0 as const,
      switched_off_ms: null,
      switched_off_reason: null,
      removed: 0 as const,
    };
    await database.change((query) => query.insertInto('destination').values(row).execute());
  }

  async function addZone(name: string, notify: string[]): Promise<string> {
    const [rule] = newZone().rules;
    const { id } = await zones.add(AL, newZone({ name, rules: [{ ...rule!, notify }] }));
    await current.read();
    return id;
  }

  const commit = (decided: Partial<Decided>) =>
    new AlarmStore(database).commit(
      { rows: [], transitions: [], stretches: [], madeUp: [], at: OPENED_AT, ...decided },
      FENCE,
    );

  test('has the zones whose rules name the destination, and nothing of others', async () => {
    const runway = await addZone('Runway', [DESTINATION]);
    await addZone('Gate', []);
    expect(await states.of(DESTINATION).read()).toEqual([
      { id: runway, name: 'Runway', hasEntryRule: true, watched: null, reason: null, open: [], last: null },
    ]);
    expect(await states.of('6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d99').read()).toEqual([]);
  });

  test('has all zones for a destination that receives all alarms', async () => {
    const [named, unnamed] = [await addZone('Named', [DESTINATION]), await addZone('Unnamed', [])];
    await database.change((query) => query.updateTable('destination').set({ all_alarms: 1 }).execute());
    expect((await states.of(DESTINATION).read()).map(({ id }) => id).toSorted()).toEqual([named, unnamed].toSorted());
  });

  test('counts alarms that are not ended, and knows whether the zone is watched', async () => {
    const zone = await addZone('Runway', [DESTINATION]);
    const ended = { key: 'c', type: 'ended', at: addMs(OPENED_AT, 3000), end: 'left' } as const;
    await commit({
      transitions: [
        transition(zone, { key: 'a' }),
        transition(zone, { key: 'b', simulated: true }),
        transition(zone, { key: 'c', at: addMs(OPENED_AT, 2000), ref: 'last' }),
        transition(zone, { key: 'd', at: addMs(OPENED_AT, 2500), expected: true }),
        transition(zone, ended),
      ],
      stretches: [
        ...(['rid', 'adsb'] as const).map((layer) => ({
          zoneId: zone,
          layer,
          state: 'watched' as const,
          reason: null,
          fromMs: 1_795_780_800_000,
          toMs: 1_795_780_805_000,
        })),
      ],
    });
    const [state] = await states.of(DESTINATION).read();
    expect(state?.watched).toBe('watched');
    expect(state?.open.toSorted((one, other) => Number(one.simulated) - Number(other.simulated))).toEqual([
      { kind: 'entered', simulated: false, test: false, expected: false, count: 1 },
      expect.objectContaining({ expected: true, count: 1 }),
      { kind: 'entered', simulated: true, test: false, expected: false, count: 1 },
    ]);
    expect(state?.last).toMatchObject({ kind: 'entered', track: 'last', state: 'ended', ended: 'left' });
  });

  test('says why a zone is not watched', async () => {
    const zone = await addZone('Runway', [DESTINATION]);
    const span = { fromMs: 1_795_780_800_000, toMs: 1_795_780_805_000 };
    await commit({
      stretches: [
        { zoneId: zone, layer: 'rid', state: 'not_watched', reason: 'receivers_lost', ...span },
        { zoneId: zone, layer: 'adsb', state: 'not_watched', reason: 'receivers_lost', ...span },
      ],
    });
    expect(await states.of(DESTINATION).read()).toMatchObject([{ watched: 'not_watched', reason: 'receivers_lost' }]);
  });

  test('has no zone for a destination that is switched off or removed', async () => {
    await addZone('Runway', [DESTINATION]);
    await database.change((query) => query.updateTable('destination').set({ is_on: 0 }).execute());
    expect(await states.of(DESTINATION).read()).toEqual([]);
  });

  test('tells of a changed zone', async () => {
    let changes = 0;
    const end = states.of(DESTINATION).onChange(() => changes++);
    await addZone('Runway', [DESTINATION]);
    expect(changes).toBeGreaterThan(0);
    end();
    const before = changes;
    await addZone('Gate', [DESTINATION]);
    expect(changes).toBe(before);
  });

  test('are reported where they cannot be read', async () => {
    await zones.add(AL, newZone({ rules: [{ ...newZone().rules[0]!, notify: [DESTINATION] }] }));
    await current.read();
    await sql.raw('alter table alarm rename to gone').execute(database.query);
    await expect(states.of(DESTINATION).read()).rejects.toThrow();
    expect(supervisor.failing).toMatchObject([{ part: 'zone_states', reason: 'database_damaged' }]);
    await sql.raw('alter table gone rename to alarm').execute(database.query);
    expect(await states.of(DESTINATION).read()).toHaveLength(1);
    expect(supervisor.failing).toEqual([]);
  });
});

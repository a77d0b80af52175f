import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Role } from '#lib/api/people/permission.ts';
import { alarmsQuerySchema } from '#lib/api/watching/alarms.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { Deliveries } from '../delivery/deliveries.ts';
import { FEATURE_COLLECTIONS } from '../outputs/feature-collections.ts';
import { zoneCaller } from '../routes/viewer.ts';
import { alarmLog } from './alarms/alarm-log.ts';
import { AlarmStore } from './alarms/alarm-store.ts';
import { Alarms } from './alarms/alarms.ts';
import { OPENED_AT, transition } from './alarms/transition.fixture.ts';
import { newZone } from './new-zone.fixture.ts';
import { Permits } from './permits.ts';
import { WatchedLedger } from './watch/watched-ledger.ts';
import { ALONE, SHARED_ONLY, type ZoneCaller } from './zone-rows.ts';
import { Zones } from './zones.ts';

const PEOPLE = { al: 'operator', bea: 'operator', vic: 'viewer', root: 'admin' } as const satisfies Record<
  string,
  Role
>;
const OWNERS = [undefined, 'al', 'bea', 'root'] as const;
const callerOf = (id: keyof typeof PEOPLE) => zoneCaller({ operator: { id, name: id, role: PEOPLE[id] }, session: {} });
const CALLERS: Readonly<Record<string, ZoneCaller>> = {
  ...Object.fromEntries((['al', 'bea', 'vic', 'root'] as const).map((id) => [id, callerOf(id)])),
  'a read token': SHARED_ONLY,
  'a read token without sign-in': ALONE,
};

const permitOf = (zone: string) => ({
  zone,
  name: 'Survey',
  layers: ['rid' as const],
  track: null,
  shape: null,
  vertical: null,
  expects_flight: false,
  start: formatInstant(OPENED_AT),
  end: formatInstant(addMs(OPENED_AT, 600_000)),
});

const person = fc.constantFrom('al', 'bea', 'root');
const place = fc.nat(5);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), owner: fc.constantFrom(...OWNERS), shared: fc.boolean() }),
  fc.record({ do: fc.constant('share' as const), place, shared: fc.boolean() }),
  fc.record({ do: fc.constant('hand over' as const), place, to: person }),
  fc.record({ do: fc.constant('remove' as const), place }),
);

test('lists, alarms, log, notices, stretches, exports and outputs show each caller the same zones, whatever was done to them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const database = await memoryDatabase();
      let now = addMs(OPENED_AT, -60_000);
      const clock = () => now;
      const zones = new Zones(database, clock);
      const alarms = new Alarms(database, clock);
      const permits = new Permits(database, clock, alarms);
      const ledger = new WatchedLedger(database, { all: [] }, clock, () => []);
      const deliveries = new Deliveries(database);
      const store = new AlarmStore(database);
      /** The expected facts of each zone, by id. */
      const known = new Map<string, { owner: string; shared: boolean; isRemoved: boolean }>();
      const admin = callerOf('root');
      const chosen = async (at: number): Promise<Zone | undefined> => {
        const ids = [...known].filter(([, { isRemoved }]) => !isRemoved).map(([id]) => id);
        const id = ids[at % Math.max(1, ids.length)];
        return id === undefined ? undefined : zones.visible(admin, id);
      };

      for (const [number, each] of steps.entries()) {
        now = addMs(now, 1000);
        if (each.do === 'add') {
          const caller = each.owner === undefined ? ALONE : callerOf(each.owner);
          const { id } = await zones.add(caller, newZone({ name: `Zone ${number}`, shared: each.shared }));
          known.set(id, { owner: each.owner ?? '', shared: each.shared || each.owner === undefined, isRemoved: false });
          await store.commit(
            { rows: [], transitions: [transition(id, { key: id })], stretches: [], madeUp: [], at: now },
            0,
          );
          await permits.add(caller, { permits: [permitOf(id)], alarms: [] });
          const stretch = { zone_id: id, layer: 'rid', state: 'not_watched', reason: 'upstream', made_up: 0 } as const;
          const [from_ms, to_ms] = [Number(OPENED_AT) - 1000 * (number + 1), Number(OPENED_AT) + 1000 * (number + 1)];
          await database.query
            .insertInto('zone_stretch')
            .values({ ...stretch, from_ms, to_ms })
            .execute();
          continue;
        }
        const zone = await chosen(each.place);
        const facts = zone && known.get(zone.id);
        if (!zone || !facts) continue;
        const { id, revision } = zone;
        if (each.do === 'share') {
          await zones.change(admin, id, { ...newZone({ name: zone.name, shared: each.shared }), revision });
          facts.shared = each.shared || facts.owner === '';
        } else if (each.do === 'hand over') {
          await zones.handOver(admin, [{ id, revision }], { id: each.to, name: each.to });
          facts.owner = each.to;
        } else {
          await zones.remove(admin, id);
          facts.isRemoved = true;
        }
      }

      now = addMs(OPENED_AT, 60_000);
      for (const [name, caller] of Object.entries(CALLERS)) {
        const mayBeSeen = ({ owner, shared }: { owner: string; shared: boolean }) =>
          caller.isAdmin || shared || owner === (caller.owner ?? '');
        const all = [...known].filter(([, facts]) => mayBeSeen(facts)).map(([id]) => id);
        const present = all.filter((id) => known.get(id)?.isRemoved === false);
        const sources = {
          caller,
          zones,
          watched: ledger,
          alarms,
          snapshots: undefined as never,
          clock: undefined as never,
        };
        const page = { f: undefined, limit: 100 } as never;
        const [start, end] = [addMs(OPENED_AT, -120_000), addMs(OPENED_AT, 120_000)];
        const alarmIds = new Map(
          (await alarms.page(admin, {})).alarms.map((alarm) => [alarm.zone.id, alarm.id] as const),
        );
        let text = '';
        for await (const piece of (await alarmLog(alarms, caller, { format: 'geojson' })).body()) text += piece;
        const exported: { features: { properties: { zone_id: string } }[] } = JSON.parse(text);
        const isSeen = async (read: () => Promise<unknown>) => read().then(Boolean, () => false);
        const seen = async (read: (id: string) => Promise<unknown>) => {
          const found: string[] = [];
          for (const id of known.keys()) if (await isSeen(() => read(id))) found.push(id);
          return found;
        };
        const ids = (items: readonly { readonly zone: { readonly id: string } }[]) => items.map(({ zone }) => zone.id);
        const features = FEATURE_COLLECTIONS;
        const reads: Readonly<Record<string, readonly string[]>> = {
          'a zone by id': await seen((id) => zones.visible(caller, id)),
          'the alarms of the page': ids((await alarms.list(caller, alarmsQuerySchema.parse({}))).alarms),
          'the log': ids((await alarms.page(caller, {})).alarms),
          'the export of the log': exported.features.map(({ properties }) => properties.zone_id),
          'an alarm': await seen((id) => alarms.one(caller, alarmIds.get(id) ?? '')),
          'the notices of an alarm': await seen((id) => deliveries.ofAlarm(caller, alarmIds.get(id) ?? '')),
          'alarms for programs': (await features.alarms.page(sources, page, undefined)).features.map(({ properties }) =>
            String((properties as { zone_id?: string }).zone_id),
          ),
          'the unwatched stretches': ids((await ledger.unwatched(caller, { start, end })).unwatched),
        };
        for (const [what, found] of Object.entries(reads))
          expect(new Set(found), `${what} of ${name}`).toEqual(new Set(all));
        const permitted = async (window?: Window) => new Set(ids((await permits.list(caller, window)).permits));
        expect(await permitted(), `the permits of ${name}`).toEqual(new Set(present));
        expect(await permitted({ start, end }), `the permits of a shift of ${name}`).toEqual(new Set(all));
        const lists: Readonly<Record<string, readonly { readonly id: string }[]>> = {
          'the list': await zones.list(caller),
          'the map of now': await zones.list(caller, now),
          'zones for programs': (await features.zones.page(sources, page, undefined)).features.map(({ id }) => ({
            id: String(id),
          })),
        };
        for (const [what, found] of Object.entries(lists))
          expect(new Set(found.map(({ id }) => id)), `${what} of ${name}`).toEqual(new Set(present));
        const then = upstreamInstant(Number(OPENED_AT) - 1000);
        for (const { id } of await zones.list(caller, then)) expect(all, `the past of ${name}`).toContain(id);
      }
      alarms.close();
    }),
    { numRuns: 30 },
  );
}, 60_000);

import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import type { Database } from '../database/database.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { patientSupervisor, strictSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { OPENED_AT } from '../zones/alarms/transition.fixture.ts';
import { CurrentZones } from '../zones/current-zones.ts';
import { newZone } from '../zones/new-zone.fixture.ts';
import { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { Zones } from '../zones/zones.ts';
import { Destinations } from './destinations.ts';
import { openGuard } from './guard.ts';
import { Heartbeat } from './heartbeat.ts';
import { Receiver } from './receiver.fixture.ts';
import { al } from './running-delivery.fixture.ts';

let database: Database;
let receiver: Receiver;
let lease: SwitchableLease;
let now: UpstreamInstant;
let evaluatedAt: UpstreamInstant;
let heartbeat: Heartbeat;
let zones: Zones;
let current: CurrentZones;
let destinations: Destinations;
let audited: AuditEvent[];
let supervisor: Supervisor;

const log = { warn: () => undefined };

beforeEach(async () => {
  [now, evaluatedAt, lease, audited] = [OPENED_AT, OPENED_AT, new SwitchableLease(0), []];
  database = await memoryDatabase();
  supervisor = patientSupervisor();
  receiver = await Receiver.open();
  zones = new Zones(database, () => now);
  current = new CurrentZones(zones, strictSupervisor().part('zones'));
  destinations = new Destinations(
    database,
    () => now,
    () => undefined,
    () => supervisor.failing.map((failure) => ({ ...failure, since: now })),
  );
  const guard = openGuard(['loopback']);
  const watched = new WatchedLedger(
    database,
    current,
    () => now,
    () => [],
  );
  heartbeat = new Heartbeat({
    part: supervisor.part('heartbeat'),
    database,
    lease,
    current,
    guard,
    log,
    now: () => now,
    evaluatedAt: () => evaluatedAt,
    watched: () => watched.present(),
    audit: (event) => audited.push(event),
  });
  const config = { kind: 'heartbeat', url: receiver.url };
  await destinations.add(newDestinationSchema.parse({ name: 'Dead man', config }));
  return async () => {
    await heartbeat.close();
    await current.close();
    receiver.close();
    await guard.close();
  };
});

/** A zone that was watched until now. */
async function watchedZone(state = 'watched') {
  const { id } = await zones.add(al, newZone());
  await current.read();
  await stretch(id, state);
  return id;
}

async function stretch(id: string, state: string) {
  const times = { from_ms: Number(addMs(now, -MINUTE_MS)), to_ms: Number(now) };
  await database.query
    .insertInto('zone_stretch')
    .values({ zone_id: id, layer: 'rid', ...times, state, reason: state === 'watched' ? null : 'upstream', made_up: 0 })
    .execute();
}

async function beats(): Promise<number> {
  const before = receiver.received.length;
  await heartbeat.beat();
  return receiver.received.length - before;
}

test('says what is watched', async () => {
  const id = await watchedZone();
  expect(await beats()).toBe(1);
  expect(receiver.events[0]).toMatchObject({
    type: 'lookout.heartbeat.v1',
    zones: [{ id, name: 'Runway 14/32', watched: 'watched', reason: null }],
    zones_outside_hours: 0,
  });
  const [shown] = await destinations.list();
  expect(shown).toMatchObject({ last_arrived_at: '2026-11-27T12:00:00.000Z', problem: null });
});

test('goes on outside the hours of all zones', async () => {
  const hours = { time_zone: 'UTC', weekly: [{ days: ['mon' as const], from: '08:00', to: '09:00' }] };
  await zones.add(al, newZone({ hours }));
  await current.read();
  expect(await beats()).toBe(1);
  expect(receiver.events[0]).toMatchObject({ zones: [], zones_outside_hours: 1 });
});

test('stops where no zone is watched', async () => {
  expect(await beats()).toBe(0);
  const id = await watchedZone('not_watched');
  expect(await beats()).toBe(0);
  now = addMs(now, 2 * MINUTE_MS);
  evaluatedAt = now;
  await stretch(id, 'partly');
  expect(await beats()).toBe(1);
  // Nothing is written any more.
  now = addMs(now, 3 * MINUTE_MS);
  evaluatedAt = now;
  expect(await beats()).toBe(0);
});

test('stops where the evaluation is stuck', async () => {
  await watchedZone();
  evaluatedAt = addMs(now, -MINUTE_MS);
  expect(await beats()).toBe(0);
});

test('stops without the lease', async () => {
  await watchedZone();
  lease.fence = undefined;
  expect(await beats()).toBe(0);
});

test('stops without the database', async () => {
  await watchedZone();
  await database.query.schema.dropTable('destination_health').execute();
  expect(await beats()).toBe(0);
});

test('is switched off where the address answers 410', async () => {
  await watchedZone();
  receiver.answerStatus(410);
  expect(await beats()).toBe(1);
  const [shown] = await destinations.list();
  const why = 'It answered with status 410.';
  expect(shown).toMatchObject({ is_on: false, switched_off: { at: '2026-11-27T12:00:00.000Z', reason: why } });
  expect(audited).toEqual([{ kind: 'destination_switched_off', destination: 'Dead man', why }]);
  expect(await beats()).toBe(0);
});

test('shows on the destination that it does not arrive', async () => {
  await watchedZone();
  receiver.answerStatus(500);
  await beats();
  now = addMs(now, MINUTE_MS);
  evaluatedAt = now;
  await beats();
  const [shown] = await destinations.list();
  expect(shown?.problem).toEqual({ since: '2026-11-27T12:00:00.000Z', text: 'It answered with status 500.' });
});

test('shows at its destination that it cannot be sent, and goes on once it can', async () => {
  await watchedZone();
  const refuses = "create trigger refuse before insert on destination_health begin select raise(abort, 'no'); end";
  await sql.raw(refuses).execute(database.query);
  expect(await beats()).toBe(0);
  expect(supervisor.recent).toMatchObject([{ part: 'heartbeat', reason: 'defect' }]);
  const text = 'Lookout cannot send, because it has a defect. Its log says more.';
  expect(await destinations.list()).toMatchObject([{ problem: { text } }]);
  await sql.raw('drop trigger refuse').execute(database.query);
  expect(await beats()).toBe(1);
  expect(await destinations.list()).toMatchObject([{ problem: null }]);
});

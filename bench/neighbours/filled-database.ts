import { randomUUID } from 'node:crypto';
import { destination } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { LayerTally } from '#lib/overview/layer-tally.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { AuditEvents } from '#lib/server/audit/audit-events.ts';
import { auditRow } from '#lib/server/audit/audit-row.ts';
import type { Database } from '#lib/server/database/database.ts';
import { OverviewStore } from '#lib/server/overview/overview-store.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { copyFirstAlarm } from '#lib/server/zones/alarms/many-alarms.fixture.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { addMs, epochMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/** The most that Lookout keeps, or a year of a busy place. */
export interface Amounts {
  readonly alarms: number;
  readonly zones: number;
  readonly auditEntries: number;
  readonly stretches: number;
  readonly presences: number;
}

const ROWS_A_STATEMENT = 500;
const DAYS = 30;
const CORNERS = 500;
const TALLIED_TRACKS = 1500;
const DETAIL = { west: 5, south: 45, east: 11, north: 49 };

/** An edge with as many corners as a zone may have. */
export function cornered(lon: number, lat: number, radiusM: number) {
  const ring = Array.from({ length: CORNERS - 1 }, (_, corner) => {
    const to = destination({ lon, lat }, (corner * 360) / (CORNERS - 1), radiusM * (1 - 0.2 * (corner % 2)));
    return [to.lon, to.lat] as [number, number];
  });
  return { type: 'Polygon' as const, coordinates: [[...ring, ring[0] as [number, number]]] };
}

/** @returns the id of a zone with 500 corners that all see */
export async function fill(database: Database, owner: string, amounts: Amounts): Promise<string> {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const start = upstreamInstant(nowMs - DAYS * DAY_MS);
  const zones = new Zones(database, () => start);
  const caller = { owner, name: owner, actor: owner, isAdmin: false };
  const zone = await zones.add(
    caller,
    newZone({ name: 'Zone 0', shared: true, hours: null, shape: cornered(8, 47, 20_000) }),
  );
  await copyZone(database, amounts.zones - 1);
  const opened = transition(zone.id, { at: start, openedAt: start });
  await new AlarmStore(database).commit({ rows: [], transitions: [opened], stretches: [], madeUp: [], at: start }, 0);
  await copyFirstAlarm(database, amounts.alarms);
  await fillStretches(database, zone.id, nowMs, amounts);
  const events = new AuditEvents(database);
  for (let from = 0; from < amounts.auditEntries; from += ROWS_A_STATEMENT)
    await events.write(
      Array.from({ length: ROWS_A_STATEMENT }, (_, at) => {
        const instant = localInstant(nowMs - DAYS * DAY_MS + (from + at) * SECOND_MS);
        const actor = { operator: { id: owner, name: owner }, address: '192.0.2.1', requestId: null };
        const event = { kind: 'view_added', view: `view ${from + at}`, shared: false } as const;
        return Object.assign(auditRow(events.newId(instant), actor, event, instant), { times: 1 });
      }),
    );
  await fillTally(database, nowMs);
  return zone.id;
}

async function copyZone(database: Database, count: number): Promise<void> {
  const { query } = database;
  const zone = await query.selectFrom('zone').selectAll().executeTakeFirstOrThrow();
  const revision = await query.selectFrom('zone_revision').selectAll().executeTakeFirstOrThrow();
  for (let from = 1; from <= count; from += 50) {
    const copies = Array.from({ length: Math.min(50, count - from + 1) }, (_, at) => ({
      id: randomUUID(),
      name: `Zone ${from + at}`,
    }));
    await database.change(async (run) => {
      await run
        .insertInto('zone')
        .values(copies.map((copy) => ({ ...zone, ...copy })))
        .execute();
      await run
        .insertInto('zone_revision')
        .values(copies.map(({ id, name }) => ({ ...revision, zone_id: id, name })))
        .execute();
    });
  }
}

async function fillStretches(database: Database, zone: string, nowMs: number, amounts: Amounts): Promise<void> {
  const spanMs = DAYS * DAY_MS;
  const each = (count: number, at: number) => Math.floor(nowMs - spanMs + (at * spanMs) / count);
  const stretches = Array.from({ length: amounts.stretches }, (_, at) => ({
    zone_id: zone,
    layer: at % 2 === 0 ? 'rid' : 'adsb',
    made_up: 1 as const,
    from_ms: each(amounts.stretches, at),
    to_ms: each(amounts.stretches, at + 2),
    ...(at % 4 < 2 ? { state: 'watched', reason: null } : { state: 'not_watched', reason: 'upstream' }),
  }));
  const presences = Array.from({ length: amounts.presences }, (_, at) => {
    const fromMs = each(amounts.presences, at);
    return { owner: `person ${at % 20}`, name: `Person ${at % 20}`, from_ms: fromMs, to_ms: fromMs + MINUTE_MS };
  });
  for (let from = 0; from < stretches.length; from += ROWS_A_STATEMENT)
    await database.query
      .insertInto('zone_stretch')
      .values(stretches.slice(from, from + ROWS_A_STATEMENT))
      .execute();
  for (let from = 0; from < presences.length; from += ROWS_A_STATEMENT)
    await database.query
      .insertInto('presence')
      .values(presences.slice(from, from + ROWS_A_STATEMENT))
      .execute();
}

/** An hour of moving tracks, repeated for a month. */
async function fillTally(database: Database, nowMs: number): Promise<void> {
  const dice = makeDice(1);
  const startMs = nowMs - DAYS * DAY_MS;
  const tally = new LayerTally('adsb');
  let positions = Array.from(
    { length: TALLIED_TRACKS },
    (_, track): Position => ({
      ...plainPosition,
      ref: `RX-A-${track}`,
      altitudeM: dice.between(100, 12_000),
      lon: dice.between(DETAIL.west, DETAIL.east),
      lat: dice.between(DETAIL.south, DETAIL.north),
      observedAt: upstreamInstant(startMs),
    }),
  );
  for (let minute = 0; minute < 60; minute++) {
    positions = positions.map((position, track) => ({
      ...position,
      ...destination(position, track, 12_000),
      observedAt: addMs(position.observedAt, MINUTE_MS),
    }));
    const readMs = startMs + minute * MINUTE_MS + 1;
    const byRef = new Map(positions.map((position) => [position.ref, position]));
    tally.read({ key: 'region', bbox: DETAIL, positions: byRef, readMs, isComplete: true });
  }
  const store = new OverviewStore(database);
  // Before the first writer.
  await store.write(tally.take(startMs + 2 * HOUR_MS), 0);
  const row = await database.query
    .selectFrom('overview_hour')
    .selectAll()
    .where('hour_ms', '=', startMs)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: DAYS * 24 - 2 }, (_, hour) => row.hour_ms + (hour + 1) * HOUR_MS);
  for (const layer of ['adsb', 'rid'])
    for (const hour_ms of copies)
      await database.query
        .insertInto('overview_hour')
        .values({ ...row, layer, hour_ms, until_ms: hour_ms + epochMs(upstreamInstant(HOUR_MS)) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
}

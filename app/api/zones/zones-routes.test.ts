import { beforeEach, describe, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import {
  type NewZone,
  type PricedZone,
  pricedZoneSchema,
  unwatchedSchema,
  watchedSchema,
  zonePriceSchema,
  zonesSchema,
} from '#lib/api/watching/zones.ts';
import type { Database } from '#lib/server/database/database.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { WatchedLedger } from '#lib/server/zones/watch/watched-ledger.ts';
import { ZonePrices } from '#lib/server/zones/zone-prices.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import { DELETE, PATCH } from './[id]/route.ts';
import { GET as GET_WATCHED } from './[id]/watched/route.ts';
import { POST as POST_IMPORT } from './import/route.ts';
import { PUT } from './owner/route.ts';
import { POST as POST_PRICE } from './price/route.ts';
import { GET, POST } from './route.ts';
import { GET as GET_UNWATCHED } from './unwatched/route.ts';

let database: Database;
let recorded: AuditEvent[];

const request = signedInRoutes(
  { al: 'operator', bea: 'operator', vic: 'viewer', root: 'admin' },
  {
    get zones() {
      return new Zones(database, () => upstreamInstant(0));
    },
    get watched() {
      return new WatchedLedger(
        database,
        { all: [] },
        () => upstreamInstant(0),
        () => [],
      );
    },
    prices: new ZonePrices({
      current: { all: [] },
      planned: { jobsOver: () => [], ratePerS: 0.1 },
      expected: () => 0,
      isUnlimited: false,
      now: () => upstreamInstant(0),
    }),
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

beforeEach(async () => {
  database = await memoryDatabase();
  recorded = [];
});

const add = (operator: string | undefined, body: unknown = newZone()) =>
  POST(request('POST', '/api/zones', operator, body));
const added = async (operator: string, zone: Partial<NewZone> = {}) =>
  pricedZoneSchema.parse(await (await add(operator, newZone(zone))).json()).zone;
const list = async (operator: string) =>
  zonesSchema.parse(await (await GET(request('GET', '/api/zones', operator))).json()).zones;
const change = (operator: string | undefined, id: string, body: unknown) =>
  PATCH(request('PATCH', `/api/zones/${id}`, operator, body));
const remove = (operator: string | undefined, id: string) => DELETE(request('DELETE', `/api/zones/${id}`, operator));
const watched = (operator: string | undefined, id: string, query: string) =>
  GET_WATCHED(request('GET', `/api/zones/${id}/watched?${query}`, operator));
const unwatched = (operator: string | undefined, query: string) =>
  GET_UNWATCHED(request('GET', `/api/zones/unwatched?${query}`, operator));
const imported = async (operator: string, lines: readonly unknown[]) => {
  const { url, headers } = request('POST', '/api/zones/import', operator);
  headers.set('content-type', 'application/x-ndjson');
  return POST_IMPORT(
    new Request(url, { method: 'POST', headers, body: lines.map((line) => JSON.stringify(line)).join('\n') }),
  );
};
/** The edition of what an operator sees, and whether it is the same as another. */
const edition = async (operator: string, known?: string) => {
  const asked = request('GET', '/api/zones', operator);
  if (known !== undefined) asked.headers.set('if-none-match', known);
  const answer = await GET(asked);
  await answer.body?.cancel();
  return { status: answer.status, etag: answer.headers.get('etag') ?? '' };
};
const unwatchedOf = async (operator: string) => unwatchedSchema.parse(await (await unwatched(operator, WINDOW)).json());
const WINDOW = 'start=2026-11-27T08:00:00Z&end=2026-11-27T09:00:00Z';

describe('/api/zones', () => {
  test('adds, lists, changes and removes a zone, and records who did it', async () => {
    const answer = await add('al', newZone({ name: ' North  gate ', shared: true }));
    expect(answer.status).toBe(201);
    const { zone } = (await answer.json()) as PricedZone;
    expect(zone).toMatchObject({ name: 'North gate', revision: 1, mine: true, owner: 'al' });
    expect((await list('vic')).map((each) => each.zone)).toEqual([{ ...zone, mine: false }]);
    const changed = await change('al', zone.id, { ...newZone({ name: 'Gate', shared: true }), revision: 1 });
    expect(pricedZoneSchema.parse(await changed.json()).zone).toMatchObject({ name: 'Gate', revision: 2 });
    expect((await remove('al', zone.id)).status).toBe(204);
    expect(await list('al')).toEqual([]);
    expect(recorded).toEqual([
      { kind: 'zone_added', zone: 'North gate', shared: true },
      { kind: 'zone_changed', zone: 'Gate', shared: true, revision: 2 },
      { kind: 'zone_removed', zone: 'Gate' },
    ]);
  });

  test('answers 304 until something that the caller sees changes', async () => {
    const shared = await added('al', { name: 'Shared', shared: true });
    const [al, vic] = [(await edition('al')).etag, (await edition('vic')).etag];
    expect(al).not.toBe(vic);
    expect(await edition('vic', vic)).toEqual({ status: 304, etag: vic });
    expect((await edition('vic', al)).status).toBe(200);
    await added('al', { name: 'Private' });
    expect((await edition('vic', vic)).status).toBe(304);
    expect((await edition('al', al)).status).toBe(200);
    await change('al', shared.id, { ...newZone({ name: 'Shared' }), revision: 1 });
    expect((await edition('vic', vic)).status).toBe(200);
    expect(await list('vic')).toEqual([]);
  });

  test('names the suspended rules, and changes its edition with them', async () => {
    const zone = await added('al');
    const before = (await edition('al')).etag;
    const rule = zone.rules[0]?.id ?? '';
    const facts = { zone: zone.id, rule, ref: undefined, other: undefined, kind: 'too_many', count: 412 } as const;
    const store = new AlarmStore(database);
    const decided = { rows: [], stretches: [], madeUp: [], at: upstreamInstant(0) };
    await store.commit({ ...decided, transitions: [transition(zone.id, { ...facts, key: 'a' })] }, 0);
    expect((await list('al'))[0]?.suspended).toMatchObject([{ rule, layer: 'rid', reason: 'too_many', alarms: 412 }]);
    expect((await edition('al', before)).status).toBe(200);
    const end = transition(zone.id, { ...facts, key: 'a', type: 'ended', end: 'resumed' });
    await store.commit({ ...decided, transitions: [end] }, 0);
    expect((await list('al'))[0]?.suspended).toEqual([]);
  });

  test('imports all zones or none, in one change, and says which line is wrong', async () => {
    const zones = [newZone({ name: 'A' }), newZone({ name: 'B', shared: true }), newZone({ name: 'C' })];
    const answer = await imported('al', zones);
    expect(answer.status).toBe(201);
    expect((await list('al')).map(({ zone }) => zone.name)).toEqual(['A', 'B', 'C']);
    expect(recorded).toEqual([{ kind: 'zones_imported', first: 'A', zones: 3 }]);
    expect(await refusalIn(await imported('al', [newZone({ name: 'D' }), newZone({ name: 'B' })]))).toEqual([
      409,
      'name_taken',
    ]);
    const wrong = await imported('al', [newZone({ name: 'D' }), { name: 'E' }]);
    expect(wrong.status).toBe(400);
    expect(errorAnswerSchema.parse(await wrong.json()).error.message).toMatch(/^Line 2: shape/);
    const tooMany = Array.from({ length: ZONES_MAX - 2 }, (_, at) => newZone({ name: `Z${at}` }));
    expect(await refusalIn(await imported('al', tooMany))).toEqual([409, 'too_many_zones']);
    expect(await refusalIn(await imported('vic', zones))).toEqual([403, 'not_permitted']);
    expect(await list('al')).toHaveLength(3);
  });

  test('lets viewers see and not change, operators change their own, and admins change all', async () => {
    const own = await added('al');
    const shared = await added('al', { name: 'Shared', shared: true });
    const body = { ...newZone({ name: 'Other', shared: true }), revision: 1 };
    expect((await list('vic')).map(({ zone }) => zone.id)).toEqual([shared.id]);
    for (const answer of [await add('vic'), await change('vic', shared.id, body), await remove('vic', shared.id)])
      expect(await refusalIn(answer)).toEqual([403, 'not_permitted']);
    expect(await refusalIn(await change('bea', own.id, body))).toEqual([404, 'not_found']);
    expect(await refusalIn(await change('bea', shared.id, body))).toEqual([403, 'not_owner']);
    expect((await change('root', own.id, body)).status).toBe(200);
    expect(await refusalIn(await change('root', own.id, body))).toEqual([409, 'revision_conflict']);
  });

  test('shares a new zone unless it says otherwise, keeps that with a change that does not say, and names what is not shared', async () => {
    const { shared: _, ...unsaid } = newZone();
    const answer = async (operator: string) =>
      zonesSchema.parse(await (await GET(request('GET', '/api/zones', operator))).json());
    expect(await answer('vic')).toEqual({ zones: [], unshared: false });
    const { zone } = pricedZoneSchema.parse(await (await add('al', unsaid)).json());
    expect(zone.shared).toBe(true);
    await change('al', zone.id, { ...newZone(), shared: false, revision: 1 });
    await change('al', zone.id, { ...unsaid, name: 'Renamed', revision: 2 });
    expect((await list('al')).map((each) => each.zone)).toMatchObject([{ name: 'Renamed', shared: false }]);
    expect(await answer('vic')).toEqual({ zones: [], unshared: true });
  });

  test('an admin alone hands a zone over, to an operator', async () => {
    const { id } = await added('al');
    const handOver = (operator: string, person: string) =>
      PUT(request('PUT', '/api/zones/owner', operator, { person, zones: [{ id, revision: 1 }] }));
    expect(await refusalIn(await handOver('al', 'bea'))).toEqual([403, 'not_permitted']);
    expect(await refusalIn(await handOver('root', 'eve'))).toEqual([404, 'not_found']);
    expect(await refusalIn(await handOver('root', 'vic'))).toEqual([409, 'not_possible']);
    expect((await handOver('root', 'bea')).status).toBe(204);
    expect((await list('bea')).map(({ zone }) => zone)).toMatchObject([{ id, mine: true, owner: 'bea' }]);
    expect(recorded.at(-1)).toEqual({ kind: 'zones_handed_over', person: 'bea', first: 'Runway 14/32', zones: 1 });
  });

  test('hides a zone that is private again, and records no change of nothing', async () => {
    const shared = await added('al', { shared: true });
    expect((await watched('vic', shared.id, WINDOW)).status).toBe(200);
    const change1 = { ...newZone({ shared: false }), rules: shared.rules, revision: 1 };
    expect((await change('al', shared.id, change1)).status).toBe(200);
    expect(await refusalIn(await watched('vic', shared.id, WINDOW))).toEqual([404, 'not_found']);
    expect((await unwatchedOf('vic')).unwatched).toEqual([]);
    const before = recorded.length;
    const again = await change('al', shared.id, { ...change1, revision: 2 });
    expect(pricedZoneSchema.parse(await again.json()).zone.revision).toBe(2);
    expect(recorded).toHaveLength(before);
  });

  test('answers nothing without a session', async () => {
    const { id } = await added('al');
    const without = [
      await GET(request('GET', '/api/zones', undefined)),
      await add(undefined),
      await change(undefined, id, { ...newZone(), revision: 1 }),
      await remove(undefined, id),
      await watched(undefined, id, WINDOW),
      await unwatched(undefined, WINDOW),
    ];
    for (const answer of without) expect(await refusalIn(answer)).toEqual([401, 'not_signed_in']);
  });

  test.each([
    ['without a shape', { name: 'x', rules: [] }],
    ['with a floor above its ceiling', { ...newZone(), vertical: { ...vertical(), floor_m: 200, ceiling_m: 100 } }],
    ['with a rule of no kind', { ...newZone(), rules: [{ kind: 'nearby', layers: ['rid'] }] }],
    [
      'that reports a silence of seconds',
      { ...newZone(), rules: [{ kind: 'nothing_received', layers: ['rid'], for_s: 1 }] },
    ],
    ['with an owner', { ...newZone(), owner: 'bea' }],
  ])('refuses a zone %s', async (_, body) => {
    expect(await refusalIn(await add('al', body))).toEqual([400, 'bad_body']);
    expect(await list('al')).toEqual([]);
  });

  test('keeps a floor of 0 and limits that are not stated', async () => {
    const zone = await added('al', { vertical: { ...vertical(), floor_m: 0 } });
    expect(zone.vertical).toEqual({ field: 'height_agl_m', floor_m: 0, ceiling_m: null, unknown: 'flagged' });
  });

  test('says what a zone costs before and after it is saved', async () => {
    const { shape, rules } = newZone();
    const asked = await POST_PRICE(request('POST', '/api/zones/price', 'al', { shape, rules }));
    const price = zonePriceSchema.parse(await asked.json());
    // Two layers every 5 s; half of 0.1 requests a second reads both every 40 s.
    expect(price).toEqual({ requests_a_day: 34_600, affordable_a_day: 4320, every_s: 40 });
    expect(pricedZoneSchema.parse(await (await add('al')).json()).price).toEqual(price);
    const hours = { time_zone: 'UTC', weekly: [{ days: ['mon', 'fri'], from: '20:00', to: '02:00' }] };
    const atNight = await POST_PRICE(request('POST', '/api/zones/price', 'al', { shape, rules, hours }));
    expect(zonePriceSchema.parse(await atNight.json())).toMatchObject({ requests_a_day: 5780, every_s: 40 });
    const viewers = await POST_PRICE(request('POST', '/api/zones/price', 'vic', { shape, rules }));
    expect(await refusalIn(viewers)).toEqual([403, 'not_permitted']);
  });

  test('tells when a zone was watched, cut to the window, to those who see it', async () => {
    const { id } = await added('al');
    const from_ms = Date.parse('2026-11-27T07:30:00Z');
    const to_ms = Date.parse('2026-11-27T08:30:00Z');
    await database.query
      .insertInto('zone_stretch')
      .values([
        { zone_id: id, layer: 'rid', from_ms, to_ms, state: 'watched', reason: null, made_up: 0 },
        {
          zone_id: id,
          layer: 'rid',
          from_ms: to_ms,
          to_ms: to_ms + 1000,
          state: 'not_watched',
          reason: 'upstream',
          made_up: 0,
        },
      ])
      .execute();
    const stretches = [
      { from: '2026-11-27T08:00:00.000Z', to: '2026-11-27T08:30:00.000Z', state: 'watched', reason: null },
      { from: '2026-11-27T08:30:00.000Z', to: '2026-11-27T08:30:01.000Z', state: 'not_watched', reason: 'upstream' },
    ];
    expect(watchedSchema.parse(await (await watched('al', id, WINDOW)).json())).toEqual({
      stretches,
      layers: stretches.map((stretch) => ({ layer: 'rid', ...stretch })),
    });
    const present = { state: 'not_watched', since: '2026-11-27T08:30:00.000Z', reason: 'upstream' };
    expect((await list('al')).map((each) => each.watched)).toEqual([
      { ...present, layers: [{ layer: 'rid', ...present }] },
    ]);
    const ofAll = async (operator: string) => unwatchedSchema.parse(await (await unwatched(operator, WINDOW)).json());
    const { state: _, ...lost } = stretches[1]!;
    const since = '2026-11-27T08:00:00.000Z';
    expect(await ofAll('al')).toEqual({
      zones: 1,
      since,
      lost: [],
      unwatched: [{ zone: { id, name: 'Runway 14/32' }, state: 'not_watched', ...lost }],
    });
    expect(await ofAll('bea')).toEqual({ zones: 0, since, lost: [], unwatched: [] });
    expect(await refusalIn(await unwatched('al', `${WINDOW}&zone=gate`))).toEqual([400, 'bad_query']);
    expect(await refusalIn(await watched('bea', id, WINDOW))).toEqual([404, 'not_found']);
    expect(await refusalIn(await watched('al', id, 'start=2026-11-27T08:00:00Z'))).toEqual([400, 'bad_query']);
  });
});

function vertical() {
  return { field: 'height_agl_m', floor_m: null, ceiling_m: null, unknown: 'flagged' } as const;
}

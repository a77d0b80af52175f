import { beforeEach, describe, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { permitSchema, permitsSchema, permittedSchema } from '#lib/api/watching/permits.ts';
import type { Database } from '#lib/server/database/database.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { Alarms } from '#lib/server/zones/alarms/alarms.ts';
import { OPENED_AT, transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { Permits } from '#lib/server/zones/permits.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { POST as END } from './[id]/end/route.ts';
import { PATCH } from './[id]/route.ts';
import { GET, POST } from './route.ts';

let database: Database;
let alarms: Alarms;
let recorded: AuditEvent[];
let zone: string;

const request = signedInRoutes(
  { al: 'operator', bea: 'operator', vic: 'viewer' },
  {
    get permits() {
      return new Permits(database, () => OPENED_AT, alarms);
    },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

beforeEach(async () => {
  database = await memoryDatabase();
  alarms = new Alarms(database, () => OPENED_AT);
  recorded = [];
  const caller = { owner: 'al', name: 'al', actor: 'al', isAdmin: false };
  zone = (await new Zones(database, () => OPENED_AT).add(caller, newZone({ name: 'Gate', shared: true }))).id;
});

const terms = {
  name: 'Survey flight, police',
  layers: ['rid'],
  track: null,
  shape: null,
  vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
  start: formatInstant(OPENED_AT),
  end: formatInstant(addMs(OPENED_AT, 2 * HOUR_MS)),
};
const make = (operator: string | undefined, body: object = { permits: [{ ...terms, zone }] }) =>
  POST(request('POST', '/api/permits', operator, body));
const list = async (operator: string, query = '') =>
  permitsSchema.parse(await (await GET(request('GET', `/api/permits${query}`, operator))).json()).permits;
const change = (operator: string | undefined, id: string, body: object) =>
  PATCH(request('PATCH', `/api/permits/${id}`, operator, body));
const end = (operator: string | undefined, id: string, revision: number) =>
  END(request('POST', `/api/permits/${id}/end`, operator, { revision }));

describe('/api/permits', () => {
  test('a refusal names the place in the body, also of a name and of a volume that is upside down', async () => {
    const messageFor = async (changed: object) => {
      const answer = await make('al', {
        permits: [
          { ...terms, zone },
          { ...terms, zone, ...changed },
        ],
      });
      return errorAnswerSchema.parse(await answer.json()).error.message;
    };
    const vertical = { field: 'height_agl_m', floor_m: 500, ceiling_m: 100 };
    expect(await messageFor({ vertical })).toBe('permits.1.vertical: has a floor above its ceiling');
    expect(await messageFor({ name: 'x'.repeat(200) })).toBe('permits.1.name: must be at most 80 characters');
    expect(await messageFor({ end: terms.start })).toBe('permits.1.end: must be after the start');
    expect(await messageFor({ start: 'soon' })).toMatch(/^permits\.1\.start: must be an RFC 3339/);
  });

  test('operators make, change and end permits, which viewers see; each is recorded', async () => {
    const answer = await make('al');
    expect(answer.status).toBe(201);
    const [permit] = permittedSchema.parse(await answer.json()).permits;
    expect(await list('vic')).toEqual([permit]);
    const changed = await change('bea', permit!.id, { ...terms, name: 'Survey', revision: 1 });
    expect(permitSchema.parse(await changed.json())).toMatchObject({ name: 'Survey', changed: { by: 'bea' } });
    expect((await end('al', permit!.id, 2)).status).toBe(200);
    expect((await list('vic')).map(({ state }) => state)).toEqual(['ended']);
    expect(recorded).toEqual([
      { kind: 'permit_made', permit: 'Survey flight, police', zone: 'Gate' },
      { kind: 'permit_changed', permit: 'Survey', zone: 'Gate' },
      { kind: 'permit_ended', permit: 'Survey', zone: 'Gate' },
    ]);
  });

  test('viewers, and callers without a session, make, change and end none', async () => {
    const [permit] = permittedSchema.parse(await (await make('al')).json()).permits;
    const { id } = permit!;
    const tried = async (operator: string | undefined) => [
      await refusalIn(await make(operator)),
      await refusalIn(await change(operator, id, { ...terms, revision: 1 })),
      await refusalIn(await end(operator, id, 1)),
    ];
    expect(await tried('vic')).toEqual(Array(3).fill([403, 'not_permitted']));
    expect(await tried(undefined)).toEqual(Array(3).fill([401, 'not_signed_in']));
    expect((await list('vic')).map(({ revision }) => revision)).toEqual([1]);
  });

  test('one request permits several alarms at once, and says of each whether it is noted', async () => {
    await new AlarmStore(database).commit(
      {
        rows: [],
        transitions: ['a', 'b'].map((ref) => transition(zone, { key: ref, ref })),
        stretches: [],
        madeUp: [],
        at: OPENED_AT,
      },
      0,
    );
    const caller = { owner: 'al', name: 'al', actor: 'al', isAdmin: false };
    const all = (await alarms.list(caller, {})).alarms;
    const unknown = '00000000-0000-4000-8000-000000000000';
    const permits = all.map(({ track }) => ({ ...terms, zone, track: { layer: 'rid', ref: track } }));
    const answer = await make('bea', {
      permits,
      alarms: [...all.map(({ id }) => ({ id, revision: 0 })), { id: unknown, revision: 0 }],
    });
    const { answers } = permittedSchema.parse(await answer.json());
    expect(answers.map(({ refusal }) => refusal?.code)).toEqual([undefined, undefined, 'not_found']);
    expect((await alarms.list(caller, {})).alarms.map(({ notes }) => notes[0]?.kind)).toEqual([
      'permitted',
      'permitted',
    ]);
    expect(recorded).toEqual([{ kind: 'permits_made', first: terms.name, permits: 2 }]);
  });

  test.each([
    ['no permit', { permits: [] }],
    ['no limit', { vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: null } }],
    ['a floor above its ceiling', { vertical: { field: 'height_agl_m', floor_m: 9, ceiling_m: 1 } }],
    ['no layer', { layers: [] }],
    ['no name', { name: ' ' }],
    ['a local time', { start: '2026-11-29T12:00' }],
  ])('refuses a body with %s', async (_, part) => {
    const body = 'permits' in part ? part : { permits: [{ ...terms, zone, ...part }] };
    expect(await refusalIn(await make('al', body))).toEqual([400, 'bad_body']);
    expect(await list('al')).toEqual([]);
  });

  const volume = {
    volume: {
      outline_circle: { center: { lat: 47.4, lng: 8.5 }, radius: { value: 300, units: 'M' } },
      altitude_upper: { value: 520, reference: 'W84', units: 'M' },
    },
    time_start: { value: terms.start, format: 'RFC3339' },
    time_end: { value: terms.end, format: 'RFC3339' },
  };
  const intent = (...volumes: readonly object[]) => ({
    reference: { id: '2f8343be-6482-4d1b-a474-16847e01af1e', manager: 'uss1', version: 1, state: 'Activated' },
    details: { volumes },
  });

  test('an operational intent becomes permits that expect a flight, or nothing with the place of the fault', async () => {
    const answer = await make('al', { operational_intents: [{ zone, intent: intent(volume, volume) }] });
    expect(answer.status).toBe(201);
    expect(permittedSchema.parse(await answer.json()).permits).toMatchObject([
      { name: 'Intent 2f8343be of uss1 1/2', flight: { received_at: null, watched: null } },
      { vertical: { field: 'altitude_m', floor_m: null, ceiling_m: 520 } },
    ]);
    const feet = {
      ...volume,
      volume: { ...volume.volume, altitude_upper: { value: 520, reference: 'W84', units: 'FT' } },
    };
    const refused = await make('al', {
      permits: [{ ...terms, zone }],
      operational_intents: [{ zone, intent: intent(feet) }],
    });
    expect(errorAnswerSchema.parse(await refused.json()).error.message).toBe(
      'operational_intents.0, details.volumes.0.volume.altitude_upper.units: must be M',
    );
    expect(await list('al')).toHaveLength(2);
  });

  test('a year, the world, and a thousand at once are refused with a code that says why', async () => {
    const year = { ...terms, zone, end: formatInstant(addMs(OPENED_AT, 365 * 24 * HOUR_MS)) };
    expect(await refusalIn(await make('al', { permits: [year] }))).toEqual([403, 'needs_admin']);
    const thousand = { permits: Array.from({ length: 1000 }, () => ({ ...terms, zone })) };
    expect(await refusalIn(await make('al', thousand))).toEqual([413, 'too_large']);
    const small = { ...volume, volume: { outline_circle: volume.volume.outline_circle } };
    const volumes = Array.from({ length: 300 }, () => small);
    expect(await refusalIn(await make('al', { operational_intents: [{ zone, intent: intent(...volumes) }] }))).toEqual([
      400,
      'bad_body',
    ]);
    expect(await list('al')).toEqual([]);
  });

  test('half a window is refused', async () => {
    const answer = await GET(request('GET', '/api/permits?start=2026-11-29T12:00:00Z', 'al'));
    expect(await refusalIn(answer)).toEqual([400, 'bad_query']);
  });
});

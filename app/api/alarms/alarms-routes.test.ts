import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { alarmsSchema, answeredSchema, presenceSchema, seenSchema } from '#lib/api/watching/alarms.ts';
import type { Database } from '#lib/server/database/database.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { patientSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { WORK } from '#lib/server/work/work-table.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { Alarms } from '#lib/server/zones/alarms/alarms.ts';
import { Presence, SeenAlarms } from '#lib/server/zones/alarms/presence.ts';
import { OPENED_AT, transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { POST as ACKNOWLEDGE } from './[id]/acknowledge/route.ts';
import { POST as CLOSE } from './[id]/close/route.ts';
import { POST as ACKNOWLEDGE_ALL } from './acknowledge/route.ts';
import { POST as CLOSE_ALL } from './close/route.ts';
import { GET as GET_EXPORT } from './export/route.ts';
import { GET as GET_PRESENCE } from './presence/route.ts';
import { GET } from './route.ts';
import { GET as GET_SEEN, PUT as PUT_SEEN } from './seen/route.ts';

let database: Database;
let recorded: AuditEvent[];
let alarms: Alarms;
let presence: Presence;

const request = signedInRoutes(
  { al: 'operator', bea: 'operator', vic: 'viewer' },
  {
    get alarms() {
      return alarms;
    },
    get presence() {
      return presence;
    },
    get seenAlarms() {
      return new SeenAlarms(database);
    },
    clock: { now: () => OPENED_AT },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

let alarm: string;
beforeEach(async () => {
  database = await memoryDatabase();
  alarms = new Alarms(database, () => OPENED_AT);
  presence = new Presence(database, patientSupervisor().part('presence'));
  recorded = [];
  const al = { owner: 'al', name: 'al', actor: 'al', isAdmin: false };
  const zone = await new Zones(database, () => OPENED_AT).add(al, newZone({ name: 'Gate', shared: true }));
  const opened = { rows: [], transitions: [transition(zone.id)], stretches: [], madeUp: [], at: OPENED_AT };
  await new AlarmStore(database).commit(opened, 0);
  alarm = (await list('vic')).alarms[0]?.id ?? '';
  return () => alarms.close();
});

const list = async (operator: string, query = '') =>
  alarmsSchema.parse(await (await GET(request('GET', `/api/alarms${query}`, operator))).json());
const acknowledge = (
  operator: string | undefined,
  id: string,
  body: object = { revision: 0, until: null, comment: 'seen' },
) => ACKNOWLEDGE(request('POST', `/api/alarms/${id}/acknowledge`, operator, body));
const close = (operator: string | undefined, id: string, body: object = { revision: 0, as: 'handled', comment: '' }) =>
  CLOSE(request('POST', `/api/alarms/${id}/close`, operator, body));

describe('/api/alarms', () => {
  test('a page that waits keeps no other reading of its operator from its turn', async () => {
    const { next } = await list('vic');
    const waiting = list('vic', `?since=${next}&wait=20000`);
    expect((await list('vic')).alarms).toHaveLength(1);
    expect((await acknowledge('bea', alarm)).status).toBe(200);
    expect((await waiting).alarms).toMatchObject([{ acknowledged: { by: 'bea' } }]);
  });

  test('exports of one operator run one by one, and those that are too many are refused', async () => {
    const exported = () => GET_EXPORT(request('GET', '/api/alarms/export?format=csv', 'vic'));
    const first = await exported();
    const others = Array.from({ length: WORK.alarm_export.waiting }, exported);
    expect(await refusalIn(await exported())).toEqual([429, 'too_much_work']);
    const texts = [await first.text()];
    for (const other of others) texts.push(await (await other).text());
    expect(new Set(texts).size).toBe(1);
  });

  test('lists alarms, lets operators acknowledge and close them, and records who did', async () => {
    expect((await acknowledge('bea', alarm)).status).toBe(200);
    const lost = await close('al', alarm);
    expect([lost.status, await lost.json()]).toMatchObject([
      409,
      { error: { code: 'revision_conflict', message: expect.stringMatching(/^Acknowledged by bea .*: “seen”/) } },
    ]);
    expect((await close('al', alarm, { revision: 1, as: 'handled' })).status).toBe(200);
    expect((await list('vic', '?state=closed')).alarms).toMatchObject([
      { acknowledged: { by: 'bea', comment: 'seen', until: null }, closed: { by: 'al', as: 'handled' } },
    ]);
    expect(recorded).toEqual([
      { kind: 'alarm_acknowledged', zone: 'Gate', alarm, comment: 'seen' },
      { kind: 'alarm_closed', zone: 'Gate', alarm, as: 'handled' },
    ]);
  });

  test('lets viewers see and not acknowledge, and answers nothing without a session', async () => {
    for (const answer of [await acknowledge('vic', alarm), await close('vic', alarm)])
      expect(await refusalIn(answer)).toEqual([403, 'not_permitted']);
    const without = [
      await GET(request('GET', '/api/alarms', undefined)),
      await acknowledge(undefined, alarm),
      await close(undefined, alarm),
      await GET_SEEN(request('GET', '/api/alarms/seen', undefined)),
    ];
    for (const answer of without) expect(await refusalIn(answer)).toEqual([401, 'not_signed_in']);
    expect(recorded).toEqual([]);
  });

  test('acknowledges several alarms in one request, which says of each whether it is, and records those', async () => {
    const acknowledgeAll = (operator: string | undefined, body: object) =>
      ACKNOWLEDGE_ALL(request('POST', '/api/alarms/acknowledge', operator, body));
    const unknown = '00000000-0000-4000-8000-000000000000';
    const ids = [alarm, unknown].map((id) => ({ id, revision: 0 }));
    const answer = await acknowledgeAll('bea', { alarms: ids, comment: 'seen' });
    expect(answer.status).toBe(200);
    expect(answeredSchema.parse(await answer.json()).answers).toEqual([
      { id: alarm, refusal: null },
      { id: unknown, refusal: { code: 'not_found', message: 'There is no such alarm.' } },
    ]);
    expect((await list('vic')).alarms).toMatchObject([{ acknowledged: { by: 'bea', comment: 'seen', until: null } }]);
    expect(recorded).toEqual([{ kind: 'alarm_acknowledged', zone: 'Gate', alarm, comment: 'seen' }]);
    expect(await refusalIn(await acknowledgeAll('vic', { alarms: ids }))).toEqual([403, 'not_permitted']);
    expect(await refusalIn(await acknowledgeAll(undefined, { alarms: ids }))).toEqual([401, 'not_signed_in']);
    for (const alarms of [[], [ids[0], ids[0]], [{ id: alarm }]])
      expect(await refusalIn(await acknowledgeAll('bea', { alarms }))).toEqual([400, 'bad_body']);
  });

  test('closes several alarms in one request, and records each', async () => {
    const closeAll = (operator: string | undefined, body: object) =>
      CLOSE_ALL(request('POST', '/api/alarms/close', operator, body));
    const unknown = '00000000-0000-4000-8000-000000000000';
    const alarms = [alarm, unknown].map((id) => ({ id, revision: 0 }));
    const answer = await closeAll('bea', { alarms, as: 'nuisance', comment: 'birds' });
    expect(answeredSchema.parse(await answer.json()).answers.map(({ refusal }) => refusal?.code)).toEqual([
      undefined,
      'not_found',
    ]);
    expect((await list('vic')).alarms).toMatchObject([{ closed: { by: 'bea', as: 'nuisance', comment: 'birds' } }]);
    expect(recorded).toEqual([{ kind: 'alarm_closed', zone: 'Gate', alarm, as: 'nuisance', comment: 'birds' }]);
    const again = await closeAll('al', { alarms: alarms.slice(0, 1), as: 'handled' });
    expect(answeredSchema.parse(await again.json()).answers).toMatchObject([
      { refusal: { code: 'revision_conflict', message: expect.stringContaining('Closed as nuisance by bea') } },
    ]);
    expect(await refusalIn(await closeAll('vic', { alarms, as: 'handled' }))).toEqual([403, 'not_permitted']);
    expect(await refusalIn(await closeAll('bea', { alarms }))).toEqual([400, 'bad_body']);
  });

  test.each([
    ['with an unknown end', { revision: 0, until: 'tomorrow', comment: '' }],
    ['with another operator', { revision: 0, until: null, comment: '', by: 'bea' }],
    ['without the revision that was read', { until: null, comment: '' }],
  ])('refuses an acknowledgement %s', async (_, body) => {
    expect(await refusalIn(await acknowledge('al', alarm, body))).toEqual([400, 'bad_body']);
  });

  test('an acknowledgement without an end lasts until the alarm ends', async () => {
    expect((await acknowledge('al', alarm, { revision: 0 })).status).toBe(200);
    expect((await list('vic')).alarms).toMatchObject([{ acknowledged: { by: 'al', until: null, comment: '' } }]);
  });

  test('refuses unknown alarms and unknown queries', async () => {
    expect(await refusalIn(await close('al', '../zones'))).toEqual([404, 'not_found']);
    for (const query of ['?state=old', '?since=yesterday', '?wait=soon', '?limit=3'])
      expect(await refusalIn(await GET(request('GET', `/api/alarms${query}`, 'al')))).toEqual([400, 'bad_query']);
  });

  test.each([
    ['csv', 'text/csv; charset=utf-8; header=present', /^row,id,.*\r\nalarm,/],
    ['geojson', 'application/geo+json', /^\{"type":"FeatureCollection"/],
  ])('exports the log as %s to those who see it', async (format, type, text) => {
    const exported = (operator: string | undefined, query = '') =>
      GET_EXPORT(request('GET', `/api/alarms/export?format=${format}${query}`, operator));
    const answer = await exported('vic');
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      type,
      `attachment; filename="lookout-alarms-20261127T120000Z.${format}"`,
    ]);
    expect(await answer.text()).toMatch(text);
    expect(recorded).toEqual([{ kind: 'alarms_exported', format, filter: '', alarms: 1, outcome: 'complete' }]);
    await (await exported('vic', `&state=closed&text=a&start=2026-11-27T00:00:00Z`)).text();
    expect(recorded.at(-1)).toEqual({
      kind: 'alarms_exported',
      format,
      alarms: 0,
      outcome: 'complete',
      filter: 'state=closed text=a start=2026-11-27T00:00:00.000Z',
    });
    const reader = (await exported('al')).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect.poll(() => recorded.at(-1)).toMatchObject({ kind: 'alarms_exported', outcome: 'left' });
    expect(await refusalIn(await exported(undefined))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await exported('vic', '&since=0'))).toEqual([400, 'bad_query']);
    expect(await refusalIn(await exported('vic', '&state=old'))).toEqual([400, 'bad_query']);
  });

  test('exports no other format', async () => {
    const answer = await GET_EXPORT(request('GET', '/api/alarms/export?format=kml', 'al'));
    expect(await refusalIn(answer)).toEqual([400, 'bad_query']);
  });

  test('names the operators whose pages waited for alarms, and no one without a session', async () => {
    await list('al');
    await list('vic', '?wait=20000');
    await list('al', '?since=0&wait=1');
    const window = 'start=2026-11-27T11:00:00Z&end=2026-11-27T13:00:00Z';
    const read = (operator: string | undefined, query = window) =>
      GET_PRESENCE(request('GET', `/api/alarms/presence?${query}`, operator));
    const at = '2026-11-27T12:00:00.000Z';
    expect(presenceSchema.parse(await (await read('vic')).json())).toEqual({
      operators: ['al', 'vic'].map((operator) => ({ operator, stretches: [{ from: at, to: at }] })),
      cut: false,
    });
    expect(await refusalIn(await read(undefined))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await read('al', 'start=2026-11-27T11:00:00Z'))).toEqual([400, 'bad_query']);
  });

  test('keeps up to where each operator has seen what happened', async () => {
    const seen = async (operator: string) =>
      seenSchema.parse(await (await GET_SEEN(request('GET', '/api/alarms/seen', operator))).json());
    const until = '2026-11-27T12:00:00.000Z';
    expect((await PUT_SEEN(request('PUT', '/api/alarms/seen', 'vic', { until }))).status).toBe(204);
    expect([await seen('vic'), await seen('al')]).toEqual([{ until }, { until: null }]);
  });
});

import { beforeEach, expect, test } from 'vitest';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { zoneTrialSchema } from '#lib/api/watching/zone-trial.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { type HistoryHarness, startHistoryHarness } from '#testing/history-harness.ts';
import { GET, POST } from './route.ts';

let harness: HistoryHarness;
let recorded: AuditEvent[];
let operators: string[];

const request = signedInRoutes(
  { al: 'operator', vic: 'viewer' },
  {
    history: {
      load(query: HistoryQuery, operator: string, signal: AbortSignal) {
        operators.push(operator);
        return harness.reader.load(query, operator, signal);
      },
    },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

beforeEach(async () => {
  harness = await startHistoryHarness([]);
  recorded = [];
  operators = [];
  return () => harness.live.close();
});

const { name: _, shared: _1, source: _2, history_requests_a_day: _3, landmark: _4, ...zone } = newZone();
const WINDOW = { start: '2026-11-21T10:20:00Z', end: '2026-11-21T10:40:00Z' };
const tried = (operator: string | undefined, change: object = {}) =>
  POST(request('POST', '/api/zones/try', operator, { ...zone, ...WINDOW, ...change }));

test('answers an operator, whose share and audit the past is loaded in', async () => {
  const answer = await tried('al');
  expect(answer.status).toBe(200);
  expect(zoneTrialSchema.parse(await answer.json())).toMatchObject({ alarms: [], positions: 0, complete: true });
  expect(new Set(operators)).toEqual(new Set(['al']));
  expect(new Set(recorded.map(({ kind }) => kind))).toEqual(new Set(['past_loaded']));
});

test('refuses viewers, strangers and other methods', async () => {
  expect(await refusalIn(await tried('vic'))).toEqual([403, 'not_permitted']);
  expect(await refusalIn(await tried(undefined))).toEqual([401, 'not_signed_in']);
  expect(await refusalIn(await GET(request('GET', '/api/zones/try', 'al')))).toEqual([405, 'method_not_allowed']);
  expect(operators).toEqual([]);
});

test.each([
  ['without a window', { start: undefined }, 400, 'bad_body'],
  ['over more than a day', { start: '2026-11-20T10:00:00Z' }, 400, 'bad_body'],
  ['for more requests than a trial may send', { max_requests: 501 }, 400, 'bad_body'],
  ['with a name', { name: 'Gate' }, 400, 'bad_body'],
  [
    'over a past that no history has',
    { start: '2026-09-01T10:20:00Z', end: '2026-09-01T10:40:00Z' },
    403,
    'outside_lookback',
  ],
])('refuses a trial %s', async (_, change, status, code) => {
  expect(await refusalIn(await tried('al', change))).toEqual([status, code]);
});

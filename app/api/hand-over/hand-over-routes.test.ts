import { beforeEach, expect, test } from 'vitest';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { HAND_OVER_NOTE_MAX_LENGTH, handOverNotesSchema } from '#lib/api/watching/hand-over.ts';
import type { Database } from '#lib/server/database/database.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { HandOverNotes } from '#lib/server/zones/hand-over-notes.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { PUT } from './read/route.ts';
import { GET, POST } from './route.ts';

let database: Database;
let recorded: AuditEvent[];

const request = signedInRoutes(
  { al: 'operator', bea: 'operator', vic: 'viewer' },
  {
    get handOver() {
      return new HandOverNotes(database, () => upstreamInstant(Date.UTC(2026, 10, 29, 6)));
    },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

beforeEach(async () => {
  database = await memoryDatabase();
  recorded = [];
});

const write = (operator: string | undefined, note: unknown) =>
  POST(request('POST', '/api/hand-over', operator, { note }));
const list = async (operator: string) =>
  handOverNotesSchema.parse(await (await GET(request('GET', '/api/hand-over', operator))).json()).notes;

test('An operator leaves a note, which the audit has, and each person reads and marks it', async () => {
  expect((await write('al', ' Crane at gate 4.\nUntil noon. ')).status).toBe(201);
  expect(recorded).toEqual([{ kind: 'handed_over', note: 'Crane at gate 4.\nUntil noon.' }]);
  for (const reader of ['bea', 'vic']) {
    const [note] = await list(reader);
    expect(note).toMatchObject({ note: 'Crane at gate 4.\nUntil noon.', by: 'al', read: false });
    expect((await PUT(request('PUT', '/api/hand-over/read', reader, { note: note?.id }))).status).toBe(204);
    expect(await list(reader)).toMatchObject([{ read: true }]);
  }
  expect((await list('al'))[0]?.readers.map(({ by }) => by)).toEqual(['bea', 'vic']);
});

test('The notes of a span are listed by start and end, and half a span is refused', async () => {
  await write('al', 'Crane at gate 4.');
  const within = async (query: string) => GET(request('GET', `/api/hand-over?${query}`, 'bea'));
  const [start, end] = ['2026-11-29T00:00:00Z', '2026-11-29T08:00:00Z'];
  const read = async (query: string) => handOverNotesSchema.parse(await (await within(query)).json());
  expect(await read(`start=${start}&end=${end}`)).toMatchObject({ notes: [{ by: 'al' }], cut: false });
  expect(await read(`start=${end}&end=2026-11-30T00:00:00Z`)).toEqual({ notes: [], cut: false });
  expect(await refusalIn(await within(`start=${start}`))).toEqual([400, 'bad_query']);
});

test('A viewer leaves no note, and no note is empty or longer than its limit', async () => {
  expect(await refusalIn(await write('vic', 'x'))).toEqual([403, 'not_permitted']);
  expect(await refusalIn(await write(undefined, 'x'))).toEqual([401, 'not_signed_in']);
  for (const note of ['  ', 'x'.repeat(HAND_OVER_NOTE_MAX_LENGTH + 1), 7])
    expect(await refusalIn(await write('al', note))).toEqual([400, 'bad_body']);
  expect(await list('al')).toEqual([]);
});

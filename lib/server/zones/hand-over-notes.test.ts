import { beforeEach, expect, test } from 'vitest';
import { HAND_OVER_NOTES_MAX } from '#lib/api/watching/hand-over.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { HandOverNotes } from './hand-over-notes.ts';
import { ALONE, type ZoneCaller } from './zone-rows.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };

describeDatabases('notes for the next shift', ({ newTarget, open, testOnce }) => {
  let now: UpstreamInstant;
  let database: Database;
  let one: HandOverNotes;
  let other: HandOverNotes;
  beforeEach(async () => {
    now = upstreamInstant(Date.UTC(2026, 10, 29, 6));
    const target = newTarget();
    database = await open(target);
    [one, other] = [new HandOverNotes(database, () => now), new HandOverNotes(await open(target), () => now)];
  });

  test('are unread for each colleague until that one has read them, and never for their author', async () => {
    await one.add(al, 'Crane at gate 4 until noon.');
    const [note] = (await other.list('bea')).notes;
    expect(note).toMatchObject({
      note: 'Crane at gate 4 until noon.',
      by: 'Al',
      mine: false,
      read: false,
      readers: [],
    });
    expect((await other.list('al')).notes).toMatchObject([{ mine: true, read: true }]);
    now = addMs(now, 60_000);
    await other.markRead(bea, note!.id);
    await one.markRead(bea, note!.id);
    const readers = [{ by: 'Bea', at: '2026-11-29T06:01:00.000Z' }];
    expect((await one.list('bea')).notes).toMatchObject([{ read: true, readers }]);
    expect((await one.list('cem')).notes).toMatchObject([{ read: false, readers }]);
  });

  test('come with the latest first, and a new one is unread although the one before was read', async () => {
    await one.add(al, 'first');
    await one.markRead(bea, (await one.list('bea')).notes[0]!.id);
    now = addMs(now, 1000);
    await one.add(al, 'second');
    expect((await other.list('bea')).notes.map(({ note, read }) => [note, read])).toEqual([
      ['second', false],
      ['first', true],
    ]);
  });

  testOnce('are bounded: the oldest are deleted with their marks', async () => {
    for (let count = 0; count < 205; count++) {
      now = addMs(now, 1000);
      await one.add(al, `note ${count}`);
      if (count === 0) await one.markRead(bea, (await one.list('bea')).notes[0]!.id);
    }
    const { notes: listed, cut } = await one.list('bea');
    expect(cut).toBe(true);
    expect(listed).toHaveLength(HAND_OVER_NOTES_MAX);
    expect(listed[0]?.note).toBe('note 204');
    expect(await database.query.selectFrom('hand_over_note').select('id').execute()).toHaveLength(200);
    expect(await database.query.selectFrom('hand_over_read').selectAll().execute()).toEqual([]);
  });

  testOnce(
    'are listed by the span in which they were written, which says where earlier ones may be missing',
    async () => {
      const start = now;
      await one.add(al, 'before the span');
      for (let count = 0; count < 40; count++) {
        now = addMs(now, 60_000);
        await one.add(al, `note ${count}`);
      }
      const span = { start: addMs(start, 60_000), end: addMs(start, 39 * 60_000) };
      const { notes, cut } = await one.list('bea', span);
      expect([notes.length, notes[0]?.note, notes.at(-1)?.note, cut]).toEqual([38, 'note 37', 'note 0', false]);
      for (let count = 0; count < 160; count++) await one.add(al, 'later');
      expect(await one.list('bea', { start, end: addMs(start, 60_000) })).toEqual({ notes: [], cut: true });
    },
  );

  testOnce('refuse a mark on an unknown note, and one without sign-in, where no mark is of one person', async () => {
    expect(await refusalOf(() => one.markRead(bea, crypto.randomUUID()))).toBe('not_found');
    await one.add(ALONE, 'no sign-in');
    const [note] = (await one.list(undefined)).notes;
    expect(note).toMatchObject({ by: '', mine: false, read: false });
    expect(await refusalOf(() => one.markRead(ALONE, note!.id))).toBe('not_possible');
  });
});

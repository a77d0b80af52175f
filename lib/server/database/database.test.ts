import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { contentOf, revisionRows } from '../zones/zone-rows.ts';

const view = { id: 'v', owner: 'al', name: 'North gate', query: '?view=47,8,9', shared: 1, owner_name: 'Al' } as const;

/** Undoes the migrations that follow. */
const AFTER_LATER_NOTICES = [
  sql`drop table move`,
  sql`alter table part drop column reception`,
  sql`drop table server_ask`,
  sql`drop table alarm_note`,
  sql`alter table alarm drop column revision`,
  sql`drop table zone_body`,
  sql`drop table stored_level`,
  sql`alter table zone_revision drop column body_id`,
];

describeDatabases('the database', ({ dialect, newTarget, open }) => {
  test('keeps what was changed over a restart, with its types', async () => {
    const target = newTarget();
    const before = await open(target);
    await before.change((query) => query.insertInto('view').values(view).execute());
    const after = await open(target);
    expect(await after.query.selectFrom('view').selectAll().execute()).toEqual([view]);
    const { count } = await after.query
      .selectFrom('view')
      .select((each) => each.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
    expect(after.dialect).toBe(dialect);
  });

  test('keeps the escalations that a build before later notices had due', async () => {
    const target = newTarget();
    const { query } = await open(target);
    for (const statement of [
      sql`drop table later_notice`,
      ...AFTER_LATER_NOTICES,
      sql`create table escalation (alarm_id text, destination_id text, due_ms bigint)`,
      sql`insert into escalation (alarm_id, destination_id, due_ms) values ('a', 'd', 7)`,
      sql`delete from migration where name > '0001-tables'`,
    ])
      await statement.execute(query);
    const after = await open(target);
    expect(await after.query.selectFrom('later_notice').selectAll().execute()).toEqual([
      { alarm_id: 'a', destination_id: 'd', type: 'escalated', due_ms: 7 },
    ]);
  });

  test('keeps acknowledgements and closings of a build before notes as the first notes', async () => {
    const target = newTarget();
    const { query } = await open(target);
    const alarm = (id: string, acknowledged: string | null, closed: string | null) => sql`
      insert into alarm (id, key, zone_id, zone_revision, rule_id, layer, kind, opened_ms, decided_ms, state, count,
        height_unknown, simulated, test, expected, evidence, changed_ms, change,
        acknowledged_by, acknowledged_ms, acknowledged_comment, closed_by, closed_ms, closed_as, closed_comment)
      values (${id}, ${id}, 'z', 1, 'r', 'rid', 'left', 1, 1, 'open', 1, 0, 0, 0, 0, '[]', 1, 1,
        ${acknowledged}, ${acknowledged && 5}, 'on my way', ${closed}, ${closed && 6}, ${closed && 'handled'}, null)`;
    for (const statement of [
      ...AFTER_LATER_NOTICES,
      sql`delete from migration where name > '0002-later-notices'`,
      alarm('both', 'al', 'bea'),
      alarm('closed', null, 'bea'),
      alarm('none', null, null),
    ])
      await statement.execute(query);
    const after = (await open(target)).query;
    const notes = await after.selectFrom('alarm_note').selectAll().orderBy('alarm_id').orderBy('number').execute();
    const closing = { kind: 'closed', operator: 'bea', at_ms: 6, until_ms: null, closed_as: 'handled', comment: '' };
    const first = { kind: 'acknowledged', operator: 'al', at_ms: 5, until_ms: null, closed_as: null };
    expect(notes).toEqual([
      { alarm_id: 'both', number: 1, ...first, comment: 'on my way' },
      { alarm_id: 'both', number: 2, ...closing },
      { alarm_id: 'closed', number: 1, ...closing },
    ]);
    const revisions = await after.selectFrom('alarm').select(['id', 'revision']).orderBy('id').execute();
    expect(revisions.map(({ revision }) => revision)).toEqual([2, 1, 0]);
  });

  test('moves the shape and source of zones of an earlier build, and loses no word of them', async () => {
    const target = newTarget();
    const { query } = await open(target);
    const shape = { type: 'Circle', centre: [8.123456789, 47], radius_m: 100 };
    const source = { format: 'kml', file: 'ä"b.kml', imported_at: '2026', words: { b: '1', a: '“\\n”' } };
    const rest = { vertical: null, hours: null, rules: [], permits: [], history_requests_a_day: 0 };
    const revision = (number: number, content: object) => sql`
      insert into zone_revision (zone_id, revision, owner, owner_name, name, shared, content, removed, author,
        author_name, at_ms) values ('z', ${number}, '', '', 'n', 0, ${JSON.stringify(content)}, 0, '', '', 1)`;
    for (const statement of [
      ...AFTER_LATER_NOTICES,
      sql`delete from migration where name > '0002-later-notices'`,
      revision(1, { shape, source, ...rest }),
      revision(2, { shape, ...rest }),
    ])
      await statement.execute(query);
    const rows = await revisionRows((await open(target)).query)
      .orderBy('revision')
      .execute();
    expect(rows.map(contentOf)).toEqual([
      { shape, source, ...rest },
      { shape, source: null, ...rest },
    ]);
    expect(rows[0]?.content).not.toContain('Circle');
  });

  test('leaves nothing of a change that throws', async () => {
    const database = await open();
    const change = database.change(async (query) => {
      await query.insertInto('view').values(view).execute();
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(await database.query.selectFrom('view').selectAll().execute()).toEqual([]);
  });

  test('makes changes of several servers one after the other, each with what the last one left', async () => {
    const target = newTarget();
    const servers = await Promise.all([open(target), open(target), open(target)]);
    await servers[0]!.query
      .insertInto('view')
      .values({ ...view, query: '0' })
      .execute();
    const add = (server: number) =>
      servers[server % 3]!.change(async (query) => {
        const { query: text } = await query.selectFrom('view').select('query').executeTakeFirstOrThrow();
        await query
          .updateTable('view')
          .set({ query: String(Number(text) + 1) })
          .execute();
      });
    for (let round = 0; round < 5; round++) await Promise.all([add(0), add(1), add(2)]);
    const { query } = await servers[1]!.query.selectFrom('view').select('query').executeTakeFirstOrThrow();
    expect(query).toBe('15');
  });

  test('enforces keys and uniqueness, which are no failure of the database', async () => {
    const database = await open();
    await database.query.insertInto('view').values(view).execute();
    const again = database.query
      .insertInto('view')
      .values({ ...view, id: 'w' })
      .execute();
    await expect(again).rejects.toThrow(/unique/i);
    const start = database.query.insertInto('start_view').values({ owner: 'al', view_id: 'x' }).execute();
    await expect(start).rejects.toThrow(/foreign key/i);
    expect(database.failure).toBeUndefined();
  });

  test('makes its tables once, however many processes open it first', async () => {
    const target = newTarget();
    const all = await Promise.all([1, 2, 3, 4].map(() => open(target)));
    await all[3]!.query.insertInto('view').values(view).execute();
    expect(await all[0]!.query.selectFrom('view').select('id').execute()).toEqual([{ id: 'v' }]);
  });

  test('refuses tables of a newer release', async () => {
    const target = newTarget();
    const database = await open(target);
    const raw = database.query as unknown as Kysely<{
      migration: { name: string; timestamp: string };
    }>;
    await raw.insertInto('migration').values({ name: '9999-newer', timestamp: '2026-01-01T00:00:00.000Z' }).execute();
    await expect(open(target)).rejects.toThrow('tables of a newer release');
  });

  test('tells other connections of a change', async () => {
    const target = newTarget();
    const [one, other] = [await open(target), await open(target)];
    const heard: (string | undefined)[] = [];
    other.listen('views', (text) => heard.push(text), /^v$/);
    await one.change(async (query) => {
      await query.insertInto('view').values(view).execute();
      await one.tell(query, 'views', 'v');
    });
    await eventually(() => expect(heard).not.toEqual([]));
    expect(heard.every((text) => text === undefined || text === 'v')).toBe(true);
  });

  test('can be checked by a write', async () => {
    const database = await open();
    await database.check();
    expect(database.failure).toBeUndefined();
  });
});

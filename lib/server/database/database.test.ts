import { expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';

const view = { id: 'v', owner: 'al', name: 'North gate', query: '?view=47,8,9', shared: 1, owner_name: 'Al' } as const;

describeDatabases('the database', ({ dialect, newTarget, newEmptyTarget, open }) => {
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

  test('leaves nothing of a change that throws', async () => {
    const database = await open();
    const change = database.change(async (query) => {
      await query.insertInto('view').values(view).execute();
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(await database.query.selectFrom('view').selectAll().execute()).toEqual([]);
  });

  test('refuses statements outside of a change from within it at once, and allows them after it', async () => {
    const [database, other] = [await open(), await open(newTarget())];
    const rows = () => database.query.selectFrom('view').select('id').execute();
    await expect(database.change(async () => rows())).rejects.toThrow('Within Database.change');
    await expect(database.change(async () => database.change(rows))).rejects.toThrow('Within Database.change');
    expect(await database.change(() => other.query.selectFrom('view').select('id').execute())).toEqual([]);
    let later: Promise<unknown> | undefined;
    await database.change(async () => {
      later = new Promise((resolve) => setTimeout(resolve, 50)).then(rows);
    });
    expect(await later).toEqual([]);
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
    const target = newEmptyTarget();
    const all = await Promise.all([1, 2, 3, 4].map(() => open(target)));
    await all[3]!.query.insertInto('view').values(view).execute();
    expect(await all[0]!.query.selectFrom('view').select('id').execute()).toEqual([{ id: 'v' }]);
  });

  test('tells other connections of a change', async () => {
    const target = newTarget();
    const [one, other] = [await open(target), await open(target)];
    const received: (string | undefined)[] = [];
    other.listen('zones', (text) => received.push(text), /^v$/);
    await one.change(async (query) => {
      await query.insertInto('view').values(view).execute();
      await one.notify(query, 'zones', 'v');
    });
    await eventually(() => expect(received).not.toEqual([]));
    expect(received.every((text) => text === undefined || text === 'v')).toBe(true);
  });

  test('can be checked by a write', async () => {
    const database = await open();
    await database.check();
    expect(database.failure).toBeUndefined();
  });
});

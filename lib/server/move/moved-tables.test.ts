import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import { openRows } from '../database/row-store.ts';
import { CARRIED_TABLES, MOVED_TABLES } from './moved-tables.ts';

describeDatabases('the tables of a move', ({ dialect, newTarget, open }) => {
  async function store() {
    const target = newTarget();
    await (await open(target)).close();
    return await openRows(target);
  }

  test('are all that a database has', async () => {
    const rows = await store();
    expect(await rows.tables()).toEqual(Object.keys(MOVED_TABLES).sort((a, b) => (a < b ? -1 : 1)));
    await rows.close();
  });

  test('draw no value from a sequence, which a copy would have to set', async () => {
    const rows = await store();
    const drawing =
      dialect === 'sqlite'
        ? await rows.run(`select name from sqlite_schema where name = 'sqlite_sequence' or sql like '%autoincrement%'`)
        : await rows.run(`select relname::text from pg_class where relkind = 'S'`);
    expect(drawing).toEqual([]);
    await rows.close();
  });

  test('come after the tables that their keys refer to', async () => {
    const rows = await store();
    const keys =
      dialect === 'sqlite'
        ? await rows.run(
            `select child.name, key."table" from sqlite_schema child, pragma_foreign_key_list(child.name) key where child.type = 'table'`,
          )
        : await rows.run(
            `select conrelid::regclass::text, confrelid::regclass::text from pg_constraint where contype = 'f'`,
          );
    const at = (name: unknown) => (CARRIED_TABLES as readonly unknown[]).indexOf(name);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter(([child, parent]) => at(parent) < 0 || at(parent) > at(child))).toEqual([]);
    await rows.close();
  });
});

import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { lockDataDir } from '../database/data-dir.ts';
import { memoryFolder } from '../database/memory-folder.fixture.ts';
import { type DatabaseTarget, openDatabase } from '../database/open-database.ts';
import { type Cell, openRows, type RowStore, type TableRow } from '../database/row-store.ts';
import { CARRIED_TABLES } from './moved-tables.ts';

export const newFile = (): DatabaseTarget => ({
  dialect: 'sqlite',
  file: join(memoryFolder('move-'), 'data/lookout.sqlite'),
});

export async function made(target: DatabaseTarget = newFile()): Promise<DatabaseTarget> {
  if (target.dialect === 'sqlite') lockDataDir(join(target.file, '..')).release();
  await (await openDatabase(target)).close();
  return target;
}

export const view = (id: string, name = id) =>
  ({ id, owner: 'al', name, query: '', shared: 0, owner_name: '' }) as const;

/** A few rows of several tables. */
export async function filled(target?: DatabaseTarget, rows = 3): Promise<DatabaseTarget> {
  const source = await made(target);
  const database = await openDatabase(source);
  await database.change(async (query) => {
    await query.insertInto('ledger').values({ account: 'a', saved: '{"spentToday":41}' }).execute();
    for (let row = 0; row < rows; row++)
      await query
        .insertInto('view')
        .values(view(`v${row}`))
        .execute();
    await query.insertInto('start_view').values({ owner: 'al', view_id: 'v0' }).execute();
    await sql`update delivery_cursor set change = 7, made = 3`.execute(query);
  });
  await database.close();
  return source;
}

export const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
export const startOf = (target: DatabaseTarget) => refusalOf(openDatabase(target).then((database) => database.close()));
export const STARTED = 'nothing was refused';

export const DIRECTIONS: readonly [
  string,
  (databases: { newTarget(): DatabaseTarget }) => readonly [DatabaseTarget, DatabaseTarget],
][] = [
  ['from SQLite to PostgreSQL', ({ newTarget }) => [newFile(), newTarget()]],
  ['from PostgreSQL to SQLite', ({ newTarget }) => [newTarget(), newFile()]],
];

/** Texts, numbers and bytes that one of both databases, or their drivers, could change. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    ' ',
    'NULL',
    'null',
    '\\',
    '\\x00',
    '{"a","b"}',
    '"',
    "'",
    '\r\n',
    '\u0001',
    '\ufeff',
    '\u{1f6f8}',
    'ä',
    'a\u0308',
    '%s',
    '1e5',
    '$1',
  ),
);
const anyInteger = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
);
const anyBytes = fc.uint8Array({ maxLength: 300 });

interface Place {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Or a part of what is. */
  readonly isUnique: boolean;
  /** The table and column that the foreign key names. */
  readonly parent: readonly [string, string] | undefined;
}

/** Rows of each carried table, by its columns in SQLite. Their texts end with their number, since most have to be unique. */
export async function anyRows(
  store: RowStore,
  rowsMax: number,
): Promise<fc.Arbitrary<ReadonlyMap<string, readonly TableRow[]>>> {
  const tables = await Promise.all(CARRIED_TABLES.map(async (table) => [table, await placesOf(store, table)] as const));
  return fc
    .tuple(...tables.map(([, places]) => fc.array(fc.tuple(...places.map(anyCell)), { maxLength: rowsMax })))
    .map((drawn) => {
      const made = new Map<string, TableRow[]>();
      for (const [index, [table, places]] of tables.entries())
        made.set(
          table,
          (drawn[index] ?? []).flatMap((cells, number) => {
            const row = cells.map((cell, at) => unique(cell as Cell, places[at]!, number, made, tables));
            return row.includes(undefined) ? [] : [row as TableRow];
          }),
        );
      return made;
    });
}

async function placesOf(store: RowStore, table: string): Promise<readonly Place[]> {
  const parents = await store.run('select "from", "table", "to" from pragma_foreign_key_list($1)', [table]);
  const rows = await store.run('select name, type, "notnull", pk from pragma_table_info($1) order by name', [table]);
  const unique = await store.run(
    'select info.name from pragma_index_list($1) list, pragma_index_info(list.name) info where list."unique" = 1',
    [table],
  );
  const uniqueNames = new Set(unique.map(([name]) => name));
  return rows.map(([name, type, notNull, key]) => {
    const parent = parents.find(([from]) => from === name);
    return {
      name: String(name),
      type: String(type),
      isNullable: notNull === 0n && key === 0n,
      isUnique: key !== 0n || uniqueNames.has(name),
      parent: parent && [String(parent[1]), String(parent[2])],
    };
  });
}

function anyCell({ type, isNullable }: Place): fc.Arbitrary<Cell> {
  const cell: fc.Arbitrary<Cell> = type === 'TEXT' ? anyText : type === 'BLOB' ? anyBytes : anyInteger;
  return isNullable ? fc.option(cell) : cell;
}

/** @returns undefined where its parent has no row of that number */
function unique(
  cell: Cell,
  { type, isUnique, parent }: Place,
  number: number,
  made: ReadonlyMap<string, readonly TableRow[]>,
  tables: readonly (readonly [string, readonly Place[]])[],
): Cell | undefined {
  if (parent) {
    const places = tables.find(([name]) => name === parent[0])?.[1] ?? [];
    return made.get(parent[0])?.[number]?.[places.findIndex(({ name }) => name === parent[1])];
  }
  if (type === 'TEXT') return cell === null ? null : `${cell}#${number}`;
  return isUnique && type !== 'BLOB' ? BigInt(number + 1) : cell;
}

export async function fill(target: DatabaseTarget, rows: ReadonlyMap<string, readonly TableRow[]>): Promise<void> {
  const store = await openRows(target);
  await store.begin(CARRIED_TABLES);
  for (const table of CARRIED_TABLES.toReversed()) await store.run(`delete from ${table}`);
  for (const [table, of] of rows) if (of.length > 0) await store.insert(table, await store.columns(table), of);
  await store.commit();
  await store.close();
}

/** The rows of each table as sorted texts. */
export async function contentOf(target: DatabaseTarget): Promise<Readonly<Record<string, readonly string[]>>> {
  const store = await openRows(target);
  await store.begin(CARRIED_TABLES);
  const content: Record<string, readonly string[]> = {};
  for (const table of CARRIED_TABLES) {
    const texts: string[] = [];
    for await (const rows of store.batches(table, await store.columns(table)))
      texts.push(...rows.map((row) => JSON.stringify(row.map(cellText))));
    content[table] = texts.sort((a, b) => (a < b ? -1 : 1));
  }
  await store.rollBack();
  await store.close();
  return content;
}

function cellText(cell: Cell): unknown {
  if (typeof cell === 'bigint') return { integer: String(cell) };
  return cell instanceof Uint8Array ? { bytes: Buffer.from(cell).toString('hex') } : cell;
}

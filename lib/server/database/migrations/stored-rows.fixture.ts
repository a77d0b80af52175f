import { type Kysely, sql } from 'kysely';
import { readParts, type SchemaPart } from '../schema-form.ts';
import type { DialectName } from './migration.ts';

/** Rows by table, bytes as hexadecimal text. */
export type StoredRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Their rows belong to the schema. */
const OF_SCHEMA = new Set(['migration', 'migration_lock']);

const shape = { type: 'Circle', centre: [8.123456789, 47], radius_m: 100 };
const source = { format: 'kml', file: 'ä"b.kml', imported_at: '2026', words: { b: '1', a: '“\\n”' } };
const rest = { vertical: null, hours: null, rules: [], permits: [], history_requests_a_day: 0 };
const permit = { id: 'a', track: null, until: '2026-11-27T12:00:00Z', up_to_m: 120, note: ' police\n  flight' };
const tracked = { ...permit, track: { layer: 'rid', ref: 'RX-D-1' }, up_to_m: null, note: '' };

/** Columns whose text the migrations read, in the rows 1, 2 and 3. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'zone_revision.owner': ['', 'al', ''],
  'zone_revision.content': [
    { shape, source, ...rest, permits: [permit, tracked] },
    { shape, ...rest },
    { source, shape, ...rest },
  ].map((content) => JSON.stringify(content)),
};

const isColumn = ({ name }: SchemaPart) => name.startsWith('column ');

/** Adds three rows to each table: with values in all columns, in those that need one, and in these and of a closing. */
export async function filledRows(query: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const parts = (await readParts(query, dialect)).filter(({ table }) => !OF_SCHEMA.has(table));
  const referring = new Set(parts.filter(({ name }) => name.startsWith('foreign key')).map(({ table }) => table));
  const byTable = [...Map.groupBy(parts.filter(isColumn), ({ table }) => table)];
  // Rows come after those that they refer to.
  byTable.sort(([a], [b]) => Number(referring.has(a)) - Number(referring.has(b)));
  for (const [table, columns] of byTable)
    for (const number of [1, 2, 3]) {
      const given = columns.filter(
        ({ name, form }) => form.includes('not null') || number === 1 || (number === 3 && name.includes('closed')),
      );
      const names = given.map(({ name }) => sql.id(name.replace('column ', '')));
      await sql`insert into ${sql.table(table)} (${sql.join(names)})
        values (${sql.join(given.map((part) => storedValue(part, number)))})`.execute(query);
    }
}

function storedValue({ table, name, form }: SchemaPart, number: number): unknown {
  const column = name.replace('column ', '');
  if (form.startsWith('integer')) return 1_700_000_000_000 + number;
  if (form.startsWith('bytes')) return Buffer.from([0, 255, number]);
  return TEXTS[`${table}.${column}`]?.[number - 1] ?? `ä“${number}`;
}

export async function rowsOf(query: Kysely<unknown>, dialect: DialectName): Promise<StoredRows> {
  const tables = new Set((await readParts(query, dialect)).map(({ table }) => table));
  const found: Record<string, Readonly<Record<string, unknown>>[]> = {};
  for (const table of tables) {
    if (OF_SCHEMA.has(table)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(query);
    found[table] = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        ]),
      ),
    );
  }
  return found;
}

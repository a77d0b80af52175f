import 'server-only';
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { DialectName } from './migrations/migration.ts';

/** A column, key, index or constraint of a table, in the same words for SQLite and PostgreSQL. */
export interface SchemaPart {
  readonly table: string;
  /** Such as `column revision`, or `index alarm_opened`. */
  readonly name: string;
  readonly form: string;
  /** Makes the part where it is missing. */
  readonly statement?: string;
}

/**
 * Reads tables, columns, keys, indexes and constraints, whatever other program they belong to. It leaves out triggers,
 * and whether a crash of PostgreSQL empties a table.
 */
export async function readParts(query: Kysely<unknown>, dialect: DialectName): Promise<readonly SchemaPart[]> {
  return dialect === 'sqlite' ? await sqliteParts(query) : await postgresParts(query);
}

/** Words for each difference of Lookout's tables; others, and additional indexes that refuse no row, are no difference. */
export function differencesOf(expected: readonly SchemaPart[], found: readonly SchemaPart[]): readonly string[] {
  const have = new Map(found.map((part) => [keyOf(part), part]));
  const tables = new Set(found.map(({ table }) => table));
  const needed = new Set(expected.map(keyOf));
  const own = new Set(expected.map(({ table }) => table));
  const missingTables = [...own].filter((table) => !tables.has(table)).map((table) => `table ${table} is missing`);
  const changed = expected.flatMap((part) => {
    if (!tables.has(part.table)) return [];
    const { table, name, form, statement } = part;
    const there = have.get(keyOf(part));
    if (!there) return [`${name} of ${table} is missing${statement === undefined ? '' : ` (${statement};)`}`];
    return there.form === form ? [] : [`${name} of ${table} is ${there.form} and not ${form}`];
  });
  const added = found
    .filter((part) => own.has(part.table) && !needed.has(keyOf(part)) && !isHarmless(part))
    .map(({ table, name }) => `${name} of ${table} is not Lookout’s`);
  return [...missingTables, ...changed, ...added];
}

/** A digest that is equal for equal tables of Lookout, in SQLite and PostgreSQL. */
export function fingerprintOf(expected: readonly SchemaPart[], found: readonly SchemaPart[]): string {
  const own = new Set(expected.map(({ table }) => table));
  const needed = new Set(expected.map(keyOf));
  const lines = found
    .filter((part) => own.has(part.table) && (needed.has(keyOf(part)) || !isHarmless(part)))
    .map((part) => `${keyOf(part)} ${part.form}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 12);
}

const keyOf = ({ table, name }: SchemaPart) => `${table} ${name}`;
const isHarmless = ({ name, form }: SchemaPart) => name.startsWith('index ') && !form.startsWith('unique');

async function sqliteParts(query: Kysely<unknown>): Promise<readonly SchemaPart[]> {
  const own = sql`m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'`;
  type Table = { readonly table: string; readonly text: string; readonly strict: number };
  const tables = await sql<Table>`
    select m.name as "table", m.sql as text, l.strict from sqlite_schema m
    join pragma_table_list l on l.schema = 'main' and l.name = m.name where ${own}`.execute(query);
  type Column = {
    readonly table: string;
    readonly name: string;
    readonly type: string;
    readonly required: number;
    readonly initial: string | null;
    readonly place: number;
    readonly hidden: number;
  };
  const columns = await sql<Column>`
    select m.name as "table", c.name, c.type, c."notnull" as required, c.dflt_value as initial, c.pk as place, c.hidden
    from sqlite_schema m, pragma_table_xinfo(m.name) c where ${own}`.execute(query);
  type IndexColumn = {
    readonly table: string;
    readonly index: string;
    readonly isUnique: number;
    readonly origin: string;
    readonly text: string | null;
    readonly column: string | null;
    readonly isDescending: number;
    readonly collation: string;
  };
  const indexed = await sql<IndexColumn>`
    select m.name as "table", l.name as "index", l."unique" as "isUnique", l.origin, i.sql as text, x.name as "column",
      x."desc" as "isDescending", x.coll as collation
    from sqlite_schema m, pragma_index_list(m.name) l, pragma_index_xinfo(l.name) x
    left join sqlite_schema i on i.type = 'index' and i.name = l.name
    where ${own} and x.key = 1 and l.origin <> 'pk' order by l.name, x.seqno`.execute(query);
  type Reference = {
    readonly table: string;
    readonly id: number;
    readonly other: string;
    readonly column: string;
    readonly otherColumn: string;
    readonly onDelete: string;
  };
  const references = await sql<Reference>`
    select m.name as "table", f.id, f."table" as other, f."from" as "column", f."to" as "otherColumn",
      f.on_delete as "onDelete"
    from sqlite_schema m, pragma_foreign_key_list(m.name) f where ${own} order by m.name, f.id, f.seq`.execute(query);

  const keys = Map.groupBy(
    columns.rows.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place),
    ({ table }) => table,
  );
  return [
    ...tables.rows.flatMap(({ table, text, strict }) => [
      ...(strict === 1 ? [] : [{ table, name: 'strictness', form: 'missing' }]),
      ...[...text.matchAll(/\bcheck\s*\(((?:[^()]|\([^()]*\))*)\)/gi)].map(([, check = '']) => checkPart(table, check)),
    ]),
    ...columns.rows.map(({ table, name, type, required, initial, place, hidden }) =>
      columnPart(table, name, {
        type: `${SQLITE_TYPES[type.toLowerCase()] ?? type.toLowerCase()}${hidden === 0 ? '' : ' generated'}`,
        isRequired: required === 1 || place > 0,
        initial,
      }),
    ),
    ...[...keys].map(([table, parts]) =>
      keyPart(
        table,
        parts.map(({ name }) => name),
      ),
    ),
    ...[...Map.groupBy(indexed.rows, ({ index }) => index).values()].map((rows) => {
      const { table, index, isUnique, origin, text } = rows[0]!;
      return indexPart(table, {
        name: origin === 'u' ? undefined : index,
        isUnique: isUnique === 1,
        columns: rows.map(
          ({ column, isDescending, collation }) =>
            `${column ?? 'expression'}${isDescending === 1 ? ' desc' : ''}${collation === 'BINARY' ? '' : ` ${collation}`}`,
        ),
        predicate: text === null ? null : (/\bwhere\b(.*)$/is.exec(text)?.[1] ?? null),
        ...(text === null ? {} : { statement: text }),
      });
    }),
    ...[...Map.groupBy(references.rows, ({ table, id }) => `${table} ${id}`).values()].map((rows) => {
      const { table, other, onDelete } = rows[0]!;
      const from = rows.map(({ column }) => column);
      return referencePart(
        table,
        from,
        other,
        rows.map(({ otherColumn }) => otherColumn),
        onDelete.toLowerCase(),
      );
    }),
  ];
}

const SQLITE_TYPES: Readonly<Record<string, string>> = { blob: 'bytes' };
const POSTGRES_TYPES: Readonly<Record<string, string>> = { bigint: 'integer', bytea: 'bytes' };
const ON_DELETE: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
};

async function postgresParts(query: Kysely<unknown>): Promise<readonly SchemaPart[]> {
  // Selects the tables that an unqualified name finds.
  const own = sql`t.relkind = 'r' and t.relnamespace <> 'pg_catalog'::regnamespace and pg_table_is_visible(t.oid)`;
  type Column = {
    readonly table: string;
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly initial: string | null;
    readonly collation: string | null;
    readonly made: string;
  };
  const columns = await sql<Column>`
    select t.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, pg_get_expr(d.adbin, d.adrelid) as initial, c.collname as collation,
      a.attgenerated::text || a.attidentity::text as made
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    left join pg_collation c on c.oid = a.attcollation
    where ${own}`.execute(query);
  type Index = {
    readonly table: string;
    readonly name: string;
    readonly isUnique: boolean;
    readonly constraint: string | null;
    readonly method: string;
    readonly isValid: boolean;
    readonly columns: readonly string[];
    readonly predicate: string | null;
  };
  const indexes = await sql<Index>`
    select t.relname as "table", i.relname as name, x.indisunique as "isUnique", k.contype::text as "constraint",
      m.amname as method, x.indisvalid as "isValid", pg_get_expr(x.indpred, x.indrelid) as predicate,
      array(
        select pg_get_indexdef(x.indexrelid, place, true)
          || case when pg_index_column_has_property(x.indexrelid, place, 'desc') then ' desc' else '' end
        from generate_series(1, x.indnkeyatts) as place
      ) as columns
    from pg_index x
    join pg_class t on t.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    join pg_am m on m.oid = i.relam
    left join pg_constraint k on k.conindid = x.indexrelid and k.contype in ('p', 'u', 'x')
    where ${own}`.execute(query);
  type Constraint = {
    readonly table: string;
    readonly kind: string;
    readonly check: string | null;
    readonly columns: readonly string[];
    readonly other: string | null;
    readonly otherColumns: readonly string[];
    readonly onDelete: string;
  };
  const names = (relation: string, places: string) => sql`array(
    select a.attname::text from unnest(k.${sql.raw(places)}) with ordinality as place (number, nth)
    join pg_attribute a on a.attrelid = k.${sql.raw(relation)} and a.attnum = place.number order by nth)`;
  const constraints = await sql<Constraint>`
    select t.relname as "table", k.contype::text as kind, o.relname as other, k.confdeltype::text as "onDelete",
      case when k.contype = 'c' then pg_get_expr(k.conbin, k.conrelid) end as "check",
      ${names('conrelid', 'conkey')} as columns, ${names('confrelid', 'confkey')} as "otherColumns"
    from pg_constraint k
    join pg_class t on t.oid = k.conrelid
    left join pg_class o on o.oid = k.confrelid
    where ${own} and k.contype in ('c', 'f')`.execute(query);

  return [
    ...columns.rows.map(({ table, name, type, required, initial, collation, made }) =>
      columnPart(table, name, {
        type: `${POSTGRES_TYPES[type] ?? type}${collation === null || collation === 'C' ? '' : ` collate ${collation}`}${made === '' ? '' : ' generated'}`,
        isRequired: required,
        initial,
      }),
    ),
    ...indexes.rows.map(({ table, name, isUnique, constraint, method, isValid, columns: indexed, predicate }) => {
      const parts = indexed.map((each) => each.replaceAll('"', ''));
      if (constraint === 'p') return keyPart(table, parts);
      const kind = `${method === 'btree' ? '' : ` ${method}`}${isValid ? '' : ' invalid'}`;
      return indexPart(table, {
        name: constraint === null ? name : undefined,
        isUnique: isUnique || constraint === 'x',
        columns: [...parts.slice(0, -1), `${parts.at(-1)}${kind}`],
        predicate,
      });
    }),
    ...constraints.rows.map(({ table, kind, check, columns: from, other, otherColumns, onDelete }) =>
      kind === 'c'
        ? checkPart(table, check ?? '')
        : referencePart(table, from, other ?? '', otherColumns, ON_DELETE[onDelete] ?? onDelete),
    ),
  ];
}

interface ColumnForm {
  readonly type: string;
  readonly isRequired: boolean;
  readonly initial: string | null;
}

function columnPart(table: string, name: string, { type, isRequired, initial }: ColumnForm): SchemaPart {
  const form = `${type}${isRequired ? ' not null' : ''}${initial === null ? '' : ` default ${plain(initial)}`}`;
  return { table, name: `column ${name}`, form };
}

const keyPart = (table: string, columns: readonly string[]): SchemaPart => ({
  table,
  name: 'primary key',
  form: columns.join(', '),
});

interface IndexForm {
  /** `undefined` for a constraint, which each database names in its own way. */
  readonly name: string | undefined;
  readonly isUnique: boolean;
  readonly columns: readonly string[];
  readonly predicate: string | null;
  readonly statement?: string;
}

function indexPart(table: string, { name, isUnique, columns, predicate, statement }: IndexForm): SchemaPart {
  const on = `(${columns.join(', ')})${predicate === null ? '' : ` where ${plain(predicate)}`}`;
  return {
    table,
    name: name === undefined ? `unique constraint ${on}` : `index ${name}`,
    form: `${isUnique ? 'unique ' : ''}${on}`,
    ...(statement === undefined ? {} : { statement }),
  };
}

const referencePart = (
  table: string,
  from: readonly string[],
  other: string,
  otherColumns: readonly string[],
  onDelete: string,
): SchemaPart => ({
  table,
  name: `foreign key ${from.join(', ')}`,
  form: `${other} (${otherColumns.join(', ')}) on delete ${onDelete}`,
});

function checkPart(table: string, check: string): SchemaPart {
  return { table, name: `check ${plain(check)}`, form: 'check' };
}

/** PostgreSQL writes expressions with types and parentheses. */
function plain(expression: string): string {
  return expression
    .replace(/::[a-z]+(?: varying)?(?:\[\])?/g, '')
    .replace(/[()\s"]+/g, ' ')
    .trim();
}

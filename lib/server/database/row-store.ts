import 'server-only';
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type Client, types } from 'pg';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure, sqliteFailure } from './database-failure.ts';
import type { DatabaseTarget } from './open-database.ts';
import { postgresClient, postgresFailure } from './postgres.ts';
import { type PostgresTarget, postgresName } from './postgres-target.ts';
import { openSqliteFile } from './sqlite-file.ts';

export type Cell = string | bigint | Uint8Array | null;
export type TableRow = readonly Cell[];

export interface StoredColumn {
  readonly name: string;
  readonly kind: 'text' | 'integer' | 'bytes';
}

/**
 * Rows of either database, exact and in bounded memory: integers have all 64 bits, batches at most some megabytes or one
 * row. Statements wait for locks, and never for a bound on their own time. Methods reject with `DatabaseFailure`.
 */
export interface RowStore {
  readonly where: string;
  /** A text that is equal for two addresses of one database. */
  identity(): Promise<string>;
  /** Parameters are `$1`, `$2`, … */
  run(sql: string, parameters?: readonly (string | number)[]): Promise<readonly TableRow[]>;
  /** Every table in it, also of other programs. */
  tables(): Promise<readonly string[]>;
  /** The columns of a table, ordered by name. */
  columns(table: string): Promise<readonly StoredColumn[]>;
  /** Begins a transaction: no other process can write to the tables until it ends. */
  begin(tables: readonly string[]): Promise<void>;
  /**
   * Call it only in a transaction: Lookout reads `move` when it starts, and waits for the transaction there from now
   * on.
   * @returns whether another process of Lookout has used the database since the transaction began
   */
  isUsed(): Promise<boolean>;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
  /** Call it only in a transaction. */
  batches(table: string, columns: readonly StoredColumn[]): AsyncGenerator<readonly TableRow[]>;
  insert(table: string, columns: readonly StoredColumn[], rows: readonly TableRow[]): Promise<void>;
  close(): Promise<void>;
}

const BATCH_BYTES = 1_000_000;
const BATCH_ROWS = 2000;
const LOCK_TIMEOUT_MS = 10 * SECOND_MS;
/** Statements wait so long for a move or a server that is ending. */
const BUSY_TIMEOUT_MS = 2 * SECOND_MS;

export async function openRows(target: DatabaseTarget): Promise<RowStore> {
  if (target.dialect === 'postgres') return openPostgresRows(target);
  try {
    return new SqliteRows(openSqliteFile(target.file), target.file);
  } catch (error) {
    throw sqliteFailure(error, target.file);
  }
}

/** A sum of many rows in any order: equal sums mean equal rows, in either database. */
export class RowSum {
  rows = 0;
  readonly #lanes = new Uint32Array(8);

  add(row: TableRow): void {
    this.rows++;
    const digest = hash('sha256', row.map(cellText).join(';'), 'buffer');
    for (let lane = 0; lane < 8; lane++) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + digest.readUInt32BE(4 * lane);
  }

  /** The checksum has 64 hexadecimal digits. */
  get checksum(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('');
  }
}

/** Call it only in a transaction. */
export async function sumOf(
  store: RowStore,
  table: string,
  columns: readonly StoredColumn[],
  seen: (rows: readonly TableRow[], sum: RowSum) => Promise<void> | void = () => undefined,
): Promise<RowSum> {
  const sum = new RowSum();
  for await (const rows of store.batches(table, columns)) {
    for (const row of rows) sum.add(row);
    await seen(rows, sum);
  }
  return sum;
}

/** A text for cells, which no two rows of cells share. */
function cellText(cell: Cell): string {
  if (cell === null) return 'n';
  if (typeof cell === 'string') return `t${cell.length}:${cell}`;
  return typeof cell === 'bigint' ? `i${cell}` : `b${hash('sha256', cell)}`;
}

function bytesOf(row: TableRow): number {
  return row.reduce<number>((sum, cell) => sum + (cell === null || typeof cell === 'bigint' ? 8 : cell.length), 0);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const namesOf = (columns: readonly StoredColumn[]) => columns.map(({ name }) => quoted(name)).join(', ');

function columnOf(table: string, name: Cell | undefined, type: Cell | undefined): StoredColumn {
  const kinds: Readonly<Record<string, StoredColumn['kind']>> = {
    text: 'text',
    integer: 'integer',
    int8: 'integer',
    blob: 'bytes',
    bytea: 'bytes',
  };
  const kind = kinds[String(type).toLowerCase()];
  if (kind === undefined) throw new Error(`the column ${name} of ${table} has the type ${type}, which no move carries`);
  return { name: String(name), kind };
}

export class SqliteRows implements RowStore {
  readonly where: string;
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.where = file;
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  async run(sql: string, parameters: readonly (string | number)[] = []): Promise<readonly TableRow[]> {
    return this.#watched(() => {
      const statement = this.#prepare(sql);
      const named = Object.fromEntries(parameters.map((value, index) => [`$${index + 1}`, value]));
      return statement.all(named) as unknown as readonly TableRow[];
    });
  }

  async identity(): Promise<string> {
    const { dev, ino } = statSync(this.where);
    return `${dev} ${ino}`;
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.run(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    );
    return rows.map(([name]) => String(name));
  }

  async columns(table: string): Promise<readonly StoredColumn[]> {
    const rows = await this.run('select name, type from pragma_table_info($1) order by name', [table]);
    return rows.map(([name, type]) => columnOf(table, name, type));
  }

  /** The file is this process's alone from then on. */
  async begin(): Promise<void> {
    await this.run('pragma locking_mode = exclusive');
    await this.run('begin immediate');
  }

  async isUsed(): Promise<boolean> {
    return false;
  }

  async commit(): Promise<void> {
    await this.run('commit');
  }

  /** Rolls the transaction back. A full disk may have ended it already. */
  async rollBack(): Promise<void> {
    if (this.#database.isTransaction) await this.run('rollback');
  }

  async *batches(table: string, columns: readonly StoredColumn[]): AsyncGenerator<readonly TableRow[]> {
    const rows = this.#watched(() =>
      (this.#prepare(`select ${namesOf(columns)} from ${quoted(table)}`).iterate() as unknown as Iterable<TableRow>)[
        Symbol.iterator
      ](),
    );
    let batch: TableRow[] = [];
    let bytes = 0;
    for (;;) {
      const { value, done } = this.#watched(() => rows.next());
      if (done) break;
      batch.push(value);
      bytes += bytesOf(value);
      if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async insert(table: string, columns: readonly StoredColumn[], rows: readonly TableRow[]): Promise<void> {
    const known = this.#inserts.get(table);
    const places = columns.map(() => '?').join(', ');
    const statement = known ?? this.#prepare(`insert into ${quoted(table)} (${namesOf(columns)}) values (${places})`);
    this.#inserts.set(table, statement);
    this.#watched(() => {
      for (const row of rows) statement.run(...(row as readonly SQLInputValue[]));
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  }

  #watched<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw sqliteFailure(error, this.where);
    }
  }
}

/** Integers keep all 64 bits. */
const TYPES = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
};

async function openPostgresRows(target: PostgresTarget): Promise<RowStore> {
  const client = postgresClient(target, 0);
  // A connection that breaks between statements fails the next one.
  client.on('error', () => undefined);
  const store = new PostgresRows(client, target);
  try {
    await client.connect();
    // The target's transaction is idle while the source is read, and the source's while the target is written.
    await client.query(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = ${LOCK_TIMEOUT_MS}; set synchronous_commit = on`,
    );
  } catch (error) {
    await client.end().catch(() => undefined);
    throw postgresFailure(error, target);
  }
  return store;
}

class PostgresRows implements RowStore {
  readonly where: string;
  readonly #target: PostgresTarget;
  readonly #client: Client;

  constructor(client: Client, target: PostgresTarget) {
    this.where = postgresName(target);
    this.#target = target;
    this.#client = client;
  }

  run(sql: string, parameters: readonly (string | number)[] = []): Promise<readonly TableRow[]> {
    return this.#query(sql, parameters);
  }

  async identity(): Promise<string> {
    const rows = await this.run(
      'select pg_postmaster_start_time()::text, oid::text from pg_database where datname = current_database()',
    );
    return rows.flat().join(' ');
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.run(`
      select relname::text from pg_class
      where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p') order by relname`);
    return rows.map(([name]) => String(name));
  }

  async columns(table: string): Promise<readonly StoredColumn[]> {
    const rows = await this.run(
      `select attname::text, typname::text from pg_attribute join pg_type on pg_type.oid = atttypid
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attname collate "C"`,
      [quoted(table)],
    );
    return rows.map(([name, type]) => columnOf(table, name, type));
  }

  async begin(tables: readonly string[]): Promise<void> {
    await this.run('begin');
    await this.run(`lock table ${tables.map(quoted).join(', ')} in share row exclusive mode`);
  }

  async isUsed(): Promise<boolean> {
    await this.run('lock table move in access exclusive mode');
    const rows = await this.run(`
      select 1 from pg_stat_activity other, pg_stat_activity own
      where own.pid = pg_backend_pid() and other.pid <> own.pid and other.datid = own.datid
        and other.application_name = own.application_name and other.query_start >= own.xact_start`);
    return rows.length > 0;
  }

  async commit(): Promise<void> {
    await this.run('commit');
  }

  async rollBack(): Promise<void> {
    await this.run('rollback');
  }

  async *batches(table: string, columns: readonly StoredColumn[]): AsyncGenerator<readonly TableRow[]> {
    await this.run(`declare moved no scroll cursor for select ${namesOf(columns)} from ${quoted(table)}`);
    let count = 16;
    for (;;) {
      const rows = await this.run(`fetch ${count} from moved`);
      if (rows.length === 0) break;
      yield rows;
      const bytes = Math.max(...rows.map(bytesOf));
      count = Math.max(1, Math.min(BATCH_ROWS, 4 * count, Math.floor(BATCH_BYTES / bytes)));
    }
    await this.run('close moved');
  }

  async insert(table: string, columns: readonly StoredColumn[], rows: readonly TableRow[]): Promise<void> {
    const unstorable = columns.findIndex((_, index) =>
      rows.some((row) => typeof row[index] === 'string' && row[index].includes('\0')),
    );
    if (unstorable >= 0)
      throw new DatabaseFailure(
        'denied',
        `${table}.${columns[unstorable]?.name} has a text with the character U+0000, which PostgreSQL cannot store. To find it: select * from ${table} where instr(${columns[unstorable]?.name}, char(0)) > 0.`,
      );
    const forms = { text: 'text[]', integer: 'bigint[]', bytes: 'bytea[]' };
    const arrays = columns.map(({ kind }, index) => `$${index + 1}::${forms[kind]}`).join(', ');
    await this.#query(
      `insert into ${quoted(table)} (${namesOf(columns)}) select * from unnest(${arrays})`,
      columns.map((_, index) => rows.map((row) => row[index])),
    );
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly TableRow[]> {
    try {
      const { rows } = await this.#client.query({ text, values: [...values], rowMode: 'array', types: TYPES });
      return rows as readonly TableRow[];
    } catch (error) {
      throw postgresFailure(error, this.#target);
    }
  }
}

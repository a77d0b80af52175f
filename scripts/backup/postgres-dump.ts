// pg_dump, pg_restore and psql: which of them can be used, a dump of one moment, its rows, and a restore in one transaction.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Client } from 'pg';
import { type StoredTables, TABLES_LEFT_OUT } from '#lib/server/database/back-up.ts';
import { passwordOf, postgresClient, postgresFailure } from '#lib/server/database/postgres.ts';
import { type PostgresTarget, postgresName } from '#lib/server/database/postgres-target.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

/** Tables that a restore has set aside are in schemas of such names, outside later backups. */
const SET_ASIDE = 'replaced_';
const DEBIAN = '/usr/lib/postgresql';
/** A migration of a starting server holds its locks for less. */
const LOCK_WAIT_MS = 60_000;

export interface PostgresPrograms {
  readonly folder: string;
  readonly major: number;
}

/** Finds programs on `PATH` and in Debian's folders, by version. */
function presentPrograms(): readonly PostgresPrograms[] {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const found = [...debian, ...(process.env.PATH ?? '').split(delimiter)].flatMap((folder): PostgresPrograms[] => {
    if (!['pg_dump', 'pg_restore', 'psql'].every((name) => existsSync(join(folder, name)))) return [];
    const { stdout } = spawnSync(join(folder, 'pg_dump'), ['--version'], { encoding: 'utf8' });
    const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '') ?? [];
    return major === undefined ? [] : [{ folder, major: Number(major) }];
  });
  return found.sort((a, b) => a.major - b.major);
}

/** `pg_dump` refuses a newer server, and the oldest that does not makes the dump that most can read. */
export function programsToDump(serverMajor: number): PostgresPrograms | undefined {
  return presentPrograms().find(({ major }) => major >= serverMajor);
}

/** `pg_restore` refuses the dump of a newer `pg_dump`. */
export function programsToRead(): PostgresPrograms | undefined {
  return presentPrograms().at(-1);
}

/** Counts all tables of one moment, which `dump` then copies. */
export class PostgresSnapshot {
  readonly serverMajor: number;
  readonly tables: StoredTables;
  readonly #id: string;
  readonly #client: Client;

  private constructor(client: Client, serverMajor: number, id: string, tables: StoredTables) {
    this.#client = client;
    this.serverMajor = serverMajor;
    this.#id = id;
    this.tables = tables;
  }

  /** @throws Error that says what to do */
  static async take(target: PostgresTarget): Promise<PostgresSnapshot> {
    const client = postgresClient(target);
    try {
      await client.connect();
      await client.query('begin isolation level repeatable read read only');
      await client.query('set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0');
      const version = await rowsOf<{ major: number }>(
        client,
        "select current_setting('server_version_num')::int / 10000 as major",
      );
      const snapshot = await rowsOf<{ id: string }>(client, 'select pg_export_snapshot() as id');
      return new PostgresSnapshot(client, version[0]!.major, snapshot[0]!.id, await tablesOf(client));
    } catch (error) {
      await client.end().catch(() => undefined);
      throw postgresFailure(error, target);
    }
  }

  /**
   * The dump, in pieces. pg_dump begins with the first read: what it printed before would be lost when it ends. When this
   * process is killed, the closed pipe ends it.
   */
  async *dump({ folder }: PostgresPrograms, target: PostgresTarget, certificates: string): AsyncGenerator<Buffer> {
    const more = [`--snapshot=${this.#id}`, `--lock-wait-timeout=${LOCK_WAIT_MS}`, '--no-password'];
    const child = spawn(join(folder, 'pg_dump'), [...DUMP_OPTIONS, ...more], {
      env: environmentOf(target, certificates),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = endOf(child);
    try {
      yield* child.stdout as AsyncIterable<Buffer>;
    } finally {
      child.stdout.destroy();
    }
    const { code, words } = await ended;
    if (code !== 0) throw new Error(`PostgreSQL at ${postgresName(target)}: ${words}`);
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}

const DUMP_OPTIONS = [
  '--format=custom',
  '--no-owner',
  '--no-privileges',
  '--no-unlogged-table-data',
  `--exclude-schema=${SET_ASIDE}*`,
  ...TABLES_LEFT_OUT.map((table) => `--exclude-table-data=${table}`),
] as const;

/** A table outside `public` is counted with its schema. Tables whose rows are left out count 0. */
async function tablesOf(client: Client): Promise<StoredTables> {
  const tables = await rowsOf<{ schema: string; name: string; unlogged: boolean }>(
    client,
    `select nspname as schema, relname as name, relpersistence = 'u' as unlogged
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p') and nspname !~ '^(pg_|information_schema$|${SET_ASIDE})' order by 1, 2`,
  );
  const rows: Record<string, number> = {};
  for (const { schema, name, unlogged } of tables) {
    const isLeftOut = unlogged || TABLES_LEFT_OUT.some((each) => each === name);
    const counted = isLeftOut
      ? [{ rows: 0 }]
      : await rowsOf<{ rows: number }>(client, `select count(*) as rows from ${quoted(schema)}.${quoted(name)}`);
    rows[keyOf(schema, name)] = counted[0]!.rows;
  }
  const names = Object.hasOwn(rows, 'migration')
    ? await rowsOf<{ name: string }>(client, 'select name from public.migration order by name')
    : [];
  return { rows, migrations: names.map(({ name }) => name) };
}

async function rowsOf<Row>(client: Client, text: string): Promise<Row[]> {
  const { rows } = await client.query({ text, query_timeout: HOUR_MS } as { text: string });
  return rows as Row[];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function keyOf(schema: string, name: string): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

/**
 * Opens a dump without a server, and counts its rows.
 * @param pass receives the SQL of it, in pieces
 * @throws Error if it is damaged
 */
export async function readDump(
  { folder }: PostgresPrograms,
  file: string,
  pass: (sql: Buffer) => Promise<void> = async () => undefined,
): Promise<StoredTables> {
  const child = spawn(join(folder, 'pg_restore'), ['--no-owner', '--no-privileges', '--file=-', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = endOf(child);
  const counter = new CopiedRows();
  try {
    for await (const chunk of child.stdout!) {
      counter.push(chunk as Buffer);
      await pass(chunk as Buffer);
    }
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  const { code, words } = await ended;
  if (code !== 0) throw new Error(words);
  return counter.tables();
}

const LINE_FEED = 10;
/** Longer than any line that is read. */
const LINE_MAX_BYTES = 4096;

/** Rows of the COPY blocks in the SQL of a dump: one line is one row. */
class CopiedRows {
  readonly #rows: Record<string, number> = {};
  readonly #migrations: string[] = [];
  #line: Buffer[] = [];
  #lineBytes = 0;
  #table: string | undefined;

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, at);
      this.#keep(chunk.subarray(at, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#endLine();
      at = end + 1;
    }
  }

  tables(): StoredTables {
    const sorted = Object.entries(this.#rows).sort(([a], [b]) => (a < b ? -1 : 1));
    return { rows: Object.fromEntries(sorted), migrations: this.#migrations.sort((a, b) => (a < b ? -1 : 1)) };
  }

  #keep(part: Buffer): void {
    const kept = part.subarray(0, Math.max(0, LINE_MAX_BYTES - this.#lineBytes));
    if (kept.length > 0) this.#line.push(kept);
    this.#lineBytes += part.length;
  }

  #endLine(): void {
    // Rows of other tables are only counted.
    const isRead = this.#table === undefined || this.#table === 'migration' || this.#lineBytes === 2;
    const text = isRead ? Buffer.concat(this.#line).toString('utf8') : '';
    this.#line = [];
    this.#lineBytes = 0;
    if (this.#table === undefined) this.#readStatement(text);
    else if (text === '\\.') this.#table = undefined;
    else {
      this.#rows[this.#table]! += 1;
      if (this.#table === 'migration') this.#migrations.push(text.split('\t', 1)[0]!);
    }
  }

  #readStatement(text: string): void {
    const [, verb, schema = '', name = ''] =
      /^(COPY|CREATE TABLE|CREATE UNLOGGED TABLE) ("(?:[^"]|"")+"|[\w$]+)\.("(?:[^"]|"")+"|[\w$]+) \(/.exec(text) ?? [];
    if (verb === undefined) return;
    const table = keyOf(unquoted(schema), unquoted(name));
    this.#rows[table] ??= 0;
    if (verb === 'COPY') this.#table = table;
  }
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

export interface TargetState {
  readonly serverMajor: number;
  /** Of other schemas than those that a restore has set aside. */
  readonly tables: number;
  /** A server wrote its heartbeat, or renewed the writer's lease, within the last seconds. */
  readonly isInUse: boolean;
}

/** @throws Error that says what to do */
export async function stateOfTarget(target: PostgresTarget): Promise<TargetState> {
  const client = postgresClient(target);
  try {
    await client.connect();
    const found = await rowsOf<{ major: number; tables: number; servers: boolean; lease: boolean }>(
      client,
      `select current_setting('server_version_num')::int / 10000 as major,
         (select count(*) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where relkind in ('r', 'p', 'v', 'm', 'S') and nspname !~ '^(pg_|information_schema$|${SET_ASIDE})') as tables,
         to_regclass('public.server') is not null as servers, to_regclass('public.writer_lease') is not null as lease`,
    );
    const { major, tables, servers, lease } = found[0]!;
    const nowMs = 'extract(epoch from clock_timestamp()) * 1000';
    const signs = [
      ...(servers ? [`select 1 from public.server where name <> '' and seen_ms > ${nowMs} - ${PRESENT_MS}`] : []),
      ...(lease ? [`select 1 from public.writer_lease where until_ms > ${nowMs}`] : []),
    ];
    const alive = signs.length === 0 ? [] : await rowsOf(client, signs.join(' union all '));
    return { serverMajor: major, tables, isInUse: alive.length > 0 };
  } catch (error) {
    throw postgresFailure(error, target);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A heartbeat comes every 5 s; one that is late may belong to a busy server. */
const PRESENT_MS = 16_000;

/**
 * In one transaction: an interruption changes nothing.
 * @param setAside the name under which present tables are kept; without it, they make the restore fail
 * @param check of what the dump has, before the commit
 * @throws Error that says what to do
 */
export async function restoreDump(
  programs: PostgresPrograms,
  file: string,
  target: PostgresTarget,
  certificates: string,
  setAside: string | undefined,
  check: (tables: StoredTables) => void,
): Promise<void> {
  const options = ['--no-psqlrc', '--quiet', '--no-password', '--set=ON_ERROR_STOP=1', '--output=/dev/null'];
  const psql = spawn(join(programs.folder, 'psql'), [...options, '--file=-'], {
    env: environmentOf(target, certificates),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = endOf(psql);
  const input = psql.stdin!;
  // The exit of psql says why.
  input.on('error', () => undefined);
  const write = async (sql: Buffer | string) => {
    if (psql.exitCode !== null || input.destroyed) throw new Error('psql ended');
    if (!input.write(sql)) await Promise.race([new Promise((resolve) => input.once('drain', resolve)), ended]);
  };
  let failure: unknown;
  try {
    await write('begin;\n');
    if (setAside !== undefined)
      await write(`alter schema public rename to ${quoted(setAside)};\ncreate schema public;\n`);
    let isFirst = true;
    const read = await readDump(programs, file, (sql) => {
      const passed = isFirst ? withoutNewSettings(sql) : sql;
      isFirst = false;
      return write(passed);
    });
    check(read);
    // Only this line ends the transaction: an end of the input before it changes nothing.
    await write('\ncommit;\n');
  } catch (error) {
    failure = error;
    psql.kill('SIGKILL');
  }
  input.end();
  const { code, words } = await ended;
  if (code !== 0 && words !== '') throw new Error(words);
  if (failure !== undefined) throw failure;
  if (code !== 0) throw new Error(`psql ended with ${code}`);
}

/** Programs of PostgreSQL 17 set it on older servers too, which do not know it. */
function withoutNewSettings(sql: Buffer): Buffer {
  return Buffer.from(sql.toString('latin1').replace(/^SET transaction_timeout = 0;$/m, ''), 'latin1');
}

export function nameForTablesSetAside(now: Date): string {
  return (
    SET_ASIDE +
    now
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
      .toLowerCase()
  );
}

function endOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly words: string }> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2000);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, words: error.message }));
    child.once('close', (code) => resolve({ code, words: words.trim() }));
  });
}

/** @param file for libpq, which does not know the authorities of Node */
export function writeCertificates(file: string): void {
  writeFileSync(file, getCACertificates('default').join('\n'), { mode: 0o600 });
}

/** The password is in the environment: everyone can read a command line. */
function environmentOf(
  { host, port, user, database, password, tls, rootCertFile }: PostgresTarget,
  certificates: string,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^PG/.test(name) || name === 'PGPASSFILE');
  const secret = password && ('file' in password ? passwordOf(password.file) : password.value);
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGAPPNAME: 'lookout-backup',
    PGCONNECT_TIMEOUT: '10',
    ...(secret === undefined ? {} : { PGPASSWORD: secret }),
    ...(tls ? { PGSSLMODE: 'verify-full', PGSSLROOTCERT: rootCertFile ?? certificates } : { PGSSLMODE: 'disable' }),
  };
  return environment as NodeJS.ProcessEnv;
}

/** A line for a shell. Without a password file, the program asks for the password. */
export function dumpCommand(target: PostgresTarget, folder: string): string {
  return `install -d -m 700 ${shellWord(folder)} && (umask 077 && ${withTarget(target, ['pg_dump', ...DUMP_OPTIONS, `--file=${join(folder, 'lookout.dump')}`])})`;
}

/** A line for a shell, which restores into an empty database. */
export function restoreCommand(target: PostgresTarget, dump: string): string {
  const options = ['--exit-on-error', '--single-transaction', '--no-owner', '--no-privileges'];
  return withTarget(target, ['pg_restore', ...options], dump);
}

function withTarget(
  { host, port, user, database, password, tls, rootCertFile }: PostgresTarget,
  words: readonly string[],
  ...last: readonly string[]
): string {
  const settings = [
    ...(password && 'file' in password ? [`PGPASSWORD="$(cat ${shellWord(password.file)})"`] : []),
    ...(tls
      ? ['PGSSLMODE=verify-full', `PGSSLROOTCERT=${shellWord(rootCertFile ?? 'system')}`]
      : ['PGSSLMODE=disable']),
  ];
  const where = [`--host=${host}`, `--port=${port}`, `--username=${user}`, `--dbname=${database}`];
  return [...settings, ...[...words, ...where, ...last].map(shellWord)].join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

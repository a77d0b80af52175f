import 'server-only';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DataDirLock, lockDataDir } from '../database/data-dir.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { COLUMN_TYPES } from '../database/migrations/migration.ts';
import { MIGRATIONS } from '../database/migrations/migrations.ts';
import { type DatabaseTarget, openDatabase } from '../database/open-database.ts';
import { openRows, type RowStore, SqliteRows, sumOf } from '../database/row-store.ts';
import { moveProblem, schemaFailure, schemaOf, whereOf } from '../database/schema.ts';
import { PRESENT_MS } from '../database/servers-present.ts';
import { openSqliteFile } from '../database/sqlite-file.ts';
import type { Tables } from '../database/tables.ts';
import { CARRIED_TABLES, MOVED_TABLES } from './moved-tables.ts';

/** A move that was refused. The message says what to do. Nothing was moved. */
class MoveRefused extends Error {}

interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

/** `copied` is undefined where an earlier run has ended the move. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly copied: readonly CopiedTable[] | undefined;
}

export type MoveStep =
  | { readonly kind: 'copying' | 'comparing'; readonly table: string; readonly rows: number; readonly of: number }
  | { readonly kind: 'begun' | 'source-marked' | 'committed' };

interface Mark {
  readonly move: string;
  readonly state: Tables['move']['state'];
  readonly other: string;
  readonly at_ms: number;
}

/**
 * Copies every row of the tables that `MOVED_TABLES` carries, and compares what arrived by count and checksum. All of it
 * is one transaction of the target: a move that ends before, in any way, leaves it as new, and marked as half moved. The
 * source is marked as moved right before the target's commit, so that Lookout never starts on both; a kill between them
 * is ended by the same command. It never deletes from the source, and writes to no target that has anything in it.
 *
 * @throws MoveRefused, DatabaseFailure
 */
export async function moveDatabase(
  from: DatabaseTarget,
  to: DatabaseTarget,
  report: (step: MoveStep) => void = () => undefined,
): Promise<Moved> {
  if (whereOf(from) === whereOf(to))
    throw new MoveRefused(
      `The settings name ${whereOf(from)}, and so does --to: run it with the settings of the database to move from.`,
    );
  const opened: { close(): Promise<void> }[] = [];
  try {
    const source = await openSource(from, opened);
    const target = await openTarget(to, opened);
    if ((await source.identity()) === (await target.identity()))
      throw new MoveRefused(`${source.where} and ${target.where} are the same database.`);
    return await move(source, target, report);
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
}

/**
 * Lets Lookout start again on a database that was moved, or on a target that was never filled.
 * @returns what it was, or undefined: it was not marked
 */
export async function undoMove(target: DatabaseTarget): Promise<Mark['state'] | undefined> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    const store = await openExisting(target, opened);
    const mark = (await store.tables()).includes('move') ? await markOf(store) : undefined;
    if (mark === undefined || mark.state === 'filled') return undefined;
    await store.run('delete from move');
    return mark.state;
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
}

async function move(source: RowStore, target: RowStore, report: (step: MoveStep) => void): Promise<Moved> {
  const [from, to] = [source.where, target.where];
  const tables = (await source.tables()).filter((name) => Object.hasOwn(MOVED_TABLES, name));
  await source.begin(tables);
  await requireStopped(source);
  const sent = await markOf(source);
  await target.begin(tables);
  const received = await markOf(target);
  const isMoved = sent?.state === 'moved' && sent.move === received?.move;
  if (isMoved && received.state === 'filled') return { from, to, copied: undefined };
  const problem = isMoved ? undefined : sent && moveProblem(from, sent);
  if (problem !== undefined) throw new MoveRefused(problem);
  if (received?.state === 'moved') throw new MoveRefused(notEmpty(target, 'the old copy of an earlier move'));
  await requireStopped(target);
  await requireEmpty(target);
  const id = isMoved ? sent.move : randomUUID();
  const written = (state: Mark['state'], other: string): Mark => ({ move: id, state, other, at_ms: Date.now() });
  await mark(target, written('filling', from));
  await target.commit();
  report({ kind: 'begun' });

  await target.begin(tables);
  // A server that started before the mark has reported itself by now, or waits for this transaction.
  await requireStopped(target);
  if ((await markOf(target))?.move !== id) throw new MoveRefused(`Another move fills ${to}: wait for its end.`);
  const copied = await copyAll(source, target, report);
  for (const store of [source, target])
    if (await store.isUsed())
      throw new MoveRefused(
        `A server or a command of Lookout has used ${store.where} while the move ran: stop it, and run the move again.`,
      );
  await mark(target, written('filled', from));
  if (!isMoved) await mark(source, written('moved', to));
  await source.commit();
  report({ kind: 'source-marked' });
  try {
    await target.commit();
  } catch (error) {
    throw await notCommitted(source, error);
  }
  report({ kind: 'committed' });
  return { from, to, copied };
}

/** Where the target certainly did not commit, the source stays what it was. */
async function notCommitted(source: RowStore, error: unknown): Promise<unknown> {
  if (error instanceof DatabaseFailure && error.kind === 'lost')
    return new DatabaseFailure(
      'lost',
      `${error.message} It may have everything or nothing: run the same command again, which finds out and ends the move.`,
      error,
    );
  await source.run('delete from move');
  return error;
}

async function copyAll(
  source: RowStore,
  target: RowStore,
  report: (step: MoveStep) => void,
): Promise<readonly CopiedTable[]> {
  // A new database has first rows in some tables.
  for (const table of CARRIED_TABLES.toReversed()) await target.run(`delete from ${table}`);
  const copied: CopiedTable[] = [];
  const different: string[] = [];
  for (const table of CARRIED_TABLES) {
    const columns = await source.columns(table);
    const [of = 0] = (await source.run(`select count(*) from ${table}`))[0]?.map(Number) ?? [];
    const sent = await sumOf(source, table, columns, async (rows, { rows: count }) => {
      await target.insert(table, columns, rows);
      report({ kind: 'copying', table, rows: count, of });
    });
    const received = await sumOf(target, table, columns, (_, { rows }) =>
      report({ kind: 'comparing', table, rows, of }),
    );
    copied.push({ table, rows: sent.rows, checksum: sent.checksum });
    if (received.rows !== sent.rows || received.checksum !== sent.checksum)
      different.push(
        `${table}: ${sent.rows} rows (checksum ${sent.checksum.slice(0, 16)}) were sent, ${received.rows} (${received.checksum.slice(0, 16)}) arrived`,
      );
  }
  if (different.length > 0)
    throw new MoveRefused(
      `${target.where} does not have what was sent to it, so nothing of it was kept:\n  ${different.join('\n  ')}`,
    );
  return copied;
}

/** @throws DatabaseFailure where its schema is not this build's */
async function openSource(target: DatabaseTarget, opened: { close(): Promise<void> }[]): Promise<RowStore> {
  const store = await openExisting(target, opened);
  const state = await schemaOf(target);
  if (state.kind === 'empty') throw new MoveRefused(noTables(target));
  if (state.kind !== 'current') throw schemaFailure(state, store.where);
  return store;
}

async function openExisting(target: DatabaseTarget, opened: { close(): Promise<void> }[]): Promise<RowStore> {
  if (target.dialect === 'sqlite') {
    if (!existsSync(target.file)) throw new MoveRefused(noTables(target));
    opened.push(lockOf(target.file));
  }
  const store = await openRows(target);
  opened.push(store);
  return store;
}

async function openTarget(target: DatabaseTarget, opened: { close(): Promise<void> }[]): Promise<RowStore> {
  if (target.dialect === 'sqlite') opened.push(lockOf(target.file));
  const store = await openRows(target);
  opened.push(store);
  const foreign = (await store.tables()).filter((name) => !Object.hasOwn(MOVED_TABLES, name));
  if (foreign.length > 0)
    throw new MoveRefused(notEmpty(store, `tables of another program or another Lookout: ${shortened(foreign)}`));
  const state = await schemaOf(target);
  // It makes the tables, and checks version, encoding and notices of PostgreSQL.
  if (state.kind === 'empty') await (await openDatabase(target)).close();
  else if (state.kind !== 'current')
    throw new MoveRefused(notEmpty(store, `the tables of another Lookout, ${state.version ?? 'of no version'}`));
  return store;
}

/** @throws MoveRefused that lists what is in it */
async function requireEmpty(store: RowStore): Promise<void> {
  const database = openSqliteFile(':memory:');
  const found: string[] = [];
  try {
    for (const { statements } of MIGRATIONS)
      for (const statement of statements(COLUMN_TYPES.sqlite)) database.exec(statement);
    const fresh = new SqliteRows(database, ':memory:');
    for (const table of CARRIED_TABLES) {
      const columns = await store.columns(table);
      const [[count = 0] = []] = await store.run(`select count(*) from ${table}`);
      const made = await sumOf(fresh, table, columns);
      const isFresh =
        Number(count) === made.rows &&
        (made.rows === 0 || (await sumOf(store, table, columns)).checksum === made.checksum);
      if (!isFresh) found.push(`${table} (${count})`);
    }
  } finally {
    database.close();
  }
  if (found.length > 0) throw new MoveRefused(notEmpty(store, `rows in ${shortened(found)}`));
}

/** Call it only in a transaction that keeps servers from reporting themselves. */
async function requireStopped(store: RowStore): Promise<void> {
  // SQLite belongs to one process, which holds the lock of its folder.
  if (store instanceof SqliteRows) return;
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
  const rows = await store.run(
    `select name from server where name <> '' and seen_ms >= ${now} - $1
    union select holder from writer, writer_lease where until_ms >= ${now}`,
    [PRESENT_MS],
  );
  if (rows.length > 0)
    throw new MoveRefused(
      `Lookout runs on ${store.where}: ${shortened(rows.map(([name]) => String(name)))}. Stop these servers, and run this again; a server that was killed counts as running for ${PRESENT_MS / 1000} s.`,
    );
}

async function markOf(store: RowStore): Promise<Mark | undefined> {
  const [row] = await store.run('select move, state, other, at_ms from move');
  if (row === undefined) return undefined;
  const [move, state, other, at] = row;
  return { move: String(move), state: state as Mark['state'], other: String(other), at_ms: Number(at) };
}

async function mark(store: RowStore, { move: id, state, other, at_ms }: Mark): Promise<void> {
  await store.run('delete from move');
  await store.run('insert into move (id, move, state, other, at_ms) values (1, $1, $2, $3, $4)', [
    ...[id, state, other, at_ms],
  ]);
}

function noTables(target: DatabaseTarget): string {
  return `${whereOf(target)} has no tables of Lookout: set DATA_DIR or DATABASE_URL as for Lookout itself.`;
}

function notEmpty(store: RowStore, what: string): string {
  const remedy =
    store instanceof SqliteRows
      ? `To keep it as an old copy: mv ${store.where} ${store.where}.old`
      : 'Name an empty database, made for Lookout alone (createdb).';
  return `${store.where} is not empty: it has ${what}. Nothing was written to it. ${remedy}`;
}

function shortened(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}

function lockOf(file: string): { close(): Promise<void> } {
  const lock: DataDirLock = lockDataDir(dirname(file));
  return { close: async () => lock.release() };
}

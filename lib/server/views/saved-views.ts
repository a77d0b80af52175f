import 'server-only';
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { NewOverlay, Overlay, OverlayContent, OverlaysAnswer } from '#lib/api/overlay.ts';
import {
  type NewView,
  type SavedView,
  type SavedViewsAnswer,
  VIEWS_MAX,
  type ViewChange,
} from '#lib/api/saved-view.ts';
import { ApiError } from '../api-error.ts';
import type { Owner, Views } from '../ports/views.ts';
import { storageProblem } from '../stores/storage-problem.ts';
import { addOverlay, listOverlays, OVERLAY_SCHEMA, overlayContent, removeOverlay } from './overlay-rows.ts';
import { SHARED_SCHEMA } from './rows-of-views.ts';

/** How long a change waits for one of another process. */
const BUSY_TIMEOUT_MS = 2000;
const SCHEMA_VERSION = 1;
/** "LkVw": a SQLite file with another application id has no saved views. */
const APPLICATION_ID = 0x4c6b5677;

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
/** `owner` is an operator's id, and '' for the operator of a Lookout without sign-in; `owner_name` is what people call them. */
const SCHEMA = `
  create table view (
    id text primary key,
    owner text not null,
    name text not null,
    query text not null,
    shared integer not null,
    owner_name text not null default ''
  ) strict, without rowid;
  create index view_owner on view (owner, name);
  create table start_view (owner text primary key, view_id text not null) strict, without rowid;
  ${SHARED_SCHEMA};
  pragma user_version = ${SCHEMA_VERSION};
  pragma application_id = ${APPLICATION_ID}`;

/** There the file itself kept an operator's names apart; of several servers it is the change that sees to it. */
const FROM_VERSION_0 = `
  alter table view rename to view_before;
  alter table start_view rename to start_before;
  ${SCHEMA};
  insert into view select id, owner, name, query, shared, owner_name from view_before;
  insert into start_view select owner, view_id from start_before;
  drop table view_before;
  drop table start_before`;

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly query: string;
  readonly shared: 0 | 1;
  readonly owner_name: string;
}

const byName = new Intl.Collator('en', { numeric: true });

/**
 * The saved views and overlays of all operators, in one file. Each change is a transaction that is on disk when it returns, or did not happen.
 * Every method throws `ApiError`: `storage_failed` where the file cannot be read or written, which leaves the file as it is.
 */
export class SavedViews implements Views {
  readonly #file: string;
  readonly #report: (error: unknown) => void;
  #opened: DatabaseSync | undefined;

  /**
   * The file is opened when it is first needed, and again after it failed.
   * @param file a path, or `:memory:`
   * @param report called with what is wrong with the file
   */
  constructor(file: string, report: (error: unknown) => void) {
    this.#file = file;
    this.#report = report;
  }

  /** Opens the file now. @throws Error that says what to do if it is damaged, or cannot be opened although there is room */
  open(): void {
    try {
      this.#opened ??= opened(this.#file);
    } catch (error) {
      if (storageProblem(error) !== 'full') throw new Error(failureText(error, this.#file), { cause: error });
    }
  }

  list(owner: Owner): SavedViewsAnswer {
    return this.#use((database) => {
      const rows = database
        .prepare('select * from view where owner = ? or shared = 1')
        .all(key(owner)) as unknown as Row[];
      const views = rows.map((row) => toView(row, owner));
      views.sort((a, b) => Number(b.mine) - Number(a.mine) || byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
      return { views, start: startRow(database, owner)?.id ?? null };
    });
  }

  add(owner: Owner, { name, query, shared }: NewView, ownerName = key(owner)): SavedView {
    return this.#change((database) => {
      const { own } = database.prepare('select count(*) as own from view where owner = ?').get(key(owner)) as {
        own: number;
      };
      if (own >= VIEWS_MAX)
        throw new ApiError('too_many_views', `An operator has at most ${VIEWS_MAX} saved views; delete one first.`);
      const row: Row = {
        ...{ id: randomUUID(), owner: key(owner), name, query },
        ...{ shared: shared ? 1 : 0, owner_name: ownerName },
      };
      requireFree(database, row);
      database.prepare('insert into view values (:id, :owner, :name, :query, :shared, :owner_name)').run({ ...row });
      return toView(row, owner);
    });
  }

  change(owner: Owner, id: string, { name, query, shared }: ViewChange): SavedView {
    return this.#change((database) => {
      const before = ownRow(database, owner, id);
      const row: Row = {
        ...before,
        name: name ?? before.name,
        query: query ?? before.query,
        shared: shared === undefined ? before.shared : shared ? 1 : 0,
      };
      requireFree(database, row);
      database
        .prepare('update view set name = :name, query = :query, shared = :shared where id = :id')
        .run({ id, name: row.name, query: row.query, shared: row.shared });
      return toView(row, owner);
    });
  }

  remove(owner: Owner, id: string): SavedView {
    return this.#change((database) => {
      const row = ownRow(database, owner, id);
      database.prepare('delete from start_view where view_id = ?').run(id);
      database.prepare('delete from view where id = ?').run(id);
      return toView(row, owner);
    });
  }

  setStart(owner: Owner, id: string | null): SavedView | undefined {
    return this.#change((database) => {
      if (id === null) {
        database.prepare('delete from start_view where owner = ?').run(key(owner));
        return undefined;
      }
      const row = visibleRow(database, owner, id);
      database.prepare('insert or replace into start_view values (?, ?)').run(key(owner), id);
      return toView(row, owner);
    });
  }

  listOverlays(owner: Owner): OverlaysAnswer {
    return this.#use((database) => listOverlays(database, key(owner)));
  }

  overlay(owner: Owner, id: string): OverlayContent {
    return this.#use((database) => overlayContent(database, key(owner), id));
  }

  addOverlay(owner: Owner, overlay: NewOverlay, ownerName = key(owner)): Overlay {
    return this.#change((database) => addOverlay(database, key(owner), overlay, ownerName));
  }

  removeOverlay(owner: Owner, id: string): Overlay {
    return this.#change((database) => removeOverlay(database, key(owner), id));
  }

  startQuery(owner: Owner): string | undefined {
    try {
      return this.#use((database) => startRow(database, owner)?.query);
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  /**
   * @param end `undone`: nothing of it stays
   * @throws ApiError where the file cannot be read or written, and what `run` throws; nothing of it stays then
   */
  transaction<T>(run: (database: DatabaseSync) => T, end: 'kept' | 'undone' = 'kept'): T {
    return this.#use((database) => {
      database.exec('begin immediate');
      try {
        const result = run(database);
        database.exec(end === 'kept' ? 'commit' : 'rollback');
        return result;
      } catch (error) {
        // A full disk may have ended the transaction already.
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    });
  }

  /** Within a transaction that is under way, a part of it. */
  #change<T>(run: (database: DatabaseSync) => T): T {
    return this.#opened?.isTransaction ? run(this.#opened) : this.transaction(run);
  }

  #use<T>(run: (database: DatabaseSync) => T): T {
    try {
      this.#opened ??= opened(this.#file);
      return run(this.#opened);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      this.close();
      this.#report(error);
      throw new ApiError('storage_failed', failureText(error, this.#file));
    }
  }
}

function opened(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    claim(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two processes may do so at the same time. @throws Error where the file is damaged or another program's */
function claim(database: DatabaseSync): void {
  database.exec('begin immediate');
  const { application_id } = database.prepare('pragma application_id').get() as { application_id: number };
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number };
  if (application_id === 0 && tables === 0) database.exec(SCHEMA);
  else if (application_id !== APPLICATION_ID) throw new Error('it is the database of another program');
  else if (database.prepare(`select 1 from pragma_table_info('view') where name = 'owner_name'`).get() === undefined)
    database.exec(`alter table view add column owner_name text not null default ''`);
  const { user_version } = database.prepare('pragma user_version').get() as { user_version: number };
  if (user_version !== SCHEMA_VERSION) database.exec(FROM_VERSION_0);
  database.exec(OVERLAY_SCHEMA);
  database.exec('commit');
  const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
  if (quick_check !== 'ok') throw new Error(quick_check);
}

function failureText(error: unknown, file: string): string {
  const { errcode = 0 } = error as { errcode?: number };
  switch (errcode & 0xff) {
    case SQLITE_FULL:
      return 'The disk of Lookout’s server is full; nothing was changed.';
    case SQLITE_BUSY:
      return 'Another process is changing the saved views; nothing was changed. Try again.';
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return `Lookout’s server cannot write ${file}; nothing was changed.`;
    default:
      return `The saved views cannot be read: ${file} is damaged, or not a file of saved views. It was left as it is; move it away to begin a new one.`;
  }
}

function key(owner: Owner): string {
  return owner ?? '';
}

function toView({ id, owner, name, query, shared, owner_name }: Row, viewer: Owner): SavedView {
  const shownOwner = owner_name || owner;
  return { id, name, query, shared: shared === 1, mine: owner === key(viewer), owner: shownOwner || null };
}

function visibleRow(database: DatabaseSync, owner: Owner, id: string): Row {
  const row = database
    .prepare('select * from view where id = ? and (owner = ? or shared = 1)')
    .get(id, key(owner)) as unknown as Row | undefined;
  if (!row) throw new ApiError('not_found', 'There is no such view.');
  return row;
}

function ownRow(database: DatabaseSync, owner: Owner, id: string): Row {
  const row = visibleRow(database, owner, id);
  if (row.owner !== key(owner)) throw new ApiError('not_owner', 'Only the operator who saved this view can change it.');
  return row;
}

/** A view that was deleted, or is no longer shared, is no start. */
function startRow(database: DatabaseSync, owner: Owner): Row | undefined {
  return database
    .prepare(
      `select view.* from start_view join view on view.id = start_view.view_id
       where start_view.owner = :owner and (view.owner = :owner or view.shared = 1)`,
    )
    .get({ owner: key(owner) }) as unknown as Row | undefined;
}

function requireFree(database: DatabaseSync, { id, owner, name }: Row): void {
  const taken = database.prepare('select 1 from view where owner = ? and name = ? and id <> ?').get(owner, name, id);
  if (taken !== undefined) throw new ApiError('name_taken', `You have a view named ${JSON.stringify(name)} already.`);
}

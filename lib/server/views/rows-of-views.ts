import 'server-only';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { ROWS_AT_ONCE, type RowsMark, type SharedRow } from '../ports/shared-rows.ts';

/** Of each view, each operator's start and each overlay, what is announced to other servers: its revision is the millisecond of its change, or one above the last. */
export const SHARED_SCHEMA = `
  create table shared_row (
    id text primary key,
    owner text not null,
    revision integer not null,
    text text not null,
    sent integer not null default 0
  ) strict, without rowid;
  create index shared_row_unsent on shared_row (id) where sent = 0;
  create index shared_row_owner on shared_row (owner);
  create table shared (run text not null, server text not null, version integer not null) strict`;

/** How long it is known of a view that it was deleted: so long may a server have been away. */
const GONE_KEPT_MS = 400 * DAY_MS;

const viewRowSchema = z.object({
  owner: z.string(),
  name: z.string(),
  query: z.string(),
  shared: z.union([z.literal(0), z.literal(1)]),
  owner_name: z.string(),
});

const overlayRowSchema = z.object({
  owner: z.string(),
  name: z.string(),
  shared: z.union([z.literal(0), z.literal(1)]),
  owner_name: z.string(),
  packed: z.string(),
});

/** As a row states it. */
const VIEW_TEXT = `json_object('owner', view.owner, 'name', view.name, 'query', view.query, 'shared', view.shared, 'owner_name', view.owner_name)`;
const OVERLAY_TEXT = `json_object('owner', overlay.owner, 'name', overlay.name, 'shared', overlay.shared, 'owner_name', overlay.owner_name, 'packed', overlay.packed)`;

/**
 * Notes what has changed in the views of one owner, or of all, since it was noted last.
 * @param now of this server
 */
export function noteChanges(database: DatabaseSync, now: LocalInstant, owner?: string): void {
  const values = { now: Math.round(epochMs(now)), owner: owner ?? null };
  for (const [prefix, table, key, text] of [
    ['view:', 'view', 'view.id', VIEW_TEXT],
    ['start:', 'start_view', 'start_view.owner', 'json_quote(start_view.view_id)'],
    ['overlay:', 'overlay', 'overlay.id', OVERLAY_TEXT],
  ] as const) {
    database
      .prepare(
        `insert into shared_row (id, owner, revision, text)
         select '${prefix}' || ${key}, ${table}.owner, max(coalesce(known.revision, 0) + 1, :now), ${text}
         from ${table} left join shared_row known on known.id = '${prefix}' || ${key}
         where (:owner is null or ${table}.owner = :owner) and (known.id is null or known.text <> ${text})
         on conflict (id) do update set revision = excluded.revision, text = excluded.text, sent = 0`,
      )
      .run(values);
    database
      .prepare(
        `update shared_row set revision = max(revision + 1, :now), text = 'null', sent = 0
         where (:owner is null or owner = :owner) and id like '${prefix}%' and text <> 'null'
           and not exists (select 1 from ${table} where '${prefix}' || ${key} = shared_row.id)`,
      )
      .run(values);
  }
}

/** What was deleted long ago. */
export function forgetGone(database: DatabaseSync, now: LocalInstant): void {
  database.prepare(`delete from shared_row where text = 'null' and revision < ?`).run(epochMs(now) - GONE_KEPT_MS);
}

/** What other servers may not have. */
export function unsentRows(database: DatabaseSync): readonly SharedRow[] {
  const rows = database.prepare('select id, revision, text from shared_row where sent = 0 order by id limit ?');
  return rows.all(ROWS_AT_ONCE) as unknown as SharedRow[];
}

export function readMark(database: DatabaseSync): RowsMark | undefined {
  return database.prepare('select * from shared').get() as RowsMark | undefined;
}

export function writeMark(database: DatabaseSync, { run, server, version }: RowsMark): void {
  database.exec('delete from shared');
  database.prepare('insert into shared values (?, ?, ?)').run(run, server, version);
}

/** Where the store may have lost it. */
export function sendAllAgain(database: DatabaseSync): void {
  database.exec('update shared_row set sent = 0');
}

export function noteSent(database: DatabaseSync, rows: readonly SharedRow[]): void {
  const note = database.prepare('update shared_row set sent = 1 where id = ? and revision = ?');
  for (const { id, revision } of rows) note.run(id, revision);
}

/** @returns the ids of those that cannot be read */
export function receiveRows(database: DatabaseSync, rows: readonly SharedRow[]): readonly string[] {
  return rows.filter((row) => !received(database, row)).map(({ id }) => id);
}

function received(database: DatabaseSync, { id, revision, text }: SharedRow): boolean {
  const [, kind, name] = /^(view|start|overlay):(.*)$/s.exec(id) ?? [];
  const value = json(text);
  if (name === undefined || value === undefined) return false;
  const view = kind === 'view' ? viewRowSchema.safeParse(value).data : undefined;
  const overlay = kind === 'overlay' ? overlayRowSchema.safeParse(value).data : undefined;
  const start = kind === 'start' && typeof value === 'string' ? value : undefined;
  if (value !== null && !view && !overlay && start === undefined) return false;
  // What is gone belongs to whom it is known to have belonged.
  const owner = view?.owner ?? overlay?.owner ?? (kind === 'start' ? name : '');
  const { changes } = database
    .prepare(
      `insert into shared_row (id, owner, revision, text, sent) values (:id, :owner, :revision, :text, 1)
       on conflict (id) do update set revision = excluded.revision, text = excluded.text, sent = 1
       where excluded.revision > revision or (excluded.revision = revision and excluded.text > text)`,
    )
    .run({ id, owner, revision, text });
  if (Number(changes) === 0) return true;
  if (view)
    database
      .prepare('insert or replace into view values (:id, :owner, :name, :query, :shared, :owner_name)')
      .run({ ...view, id: name });
  else if (overlay)
    database
      .prepare('insert or replace into overlay values (:id, :owner, :name, :shared, :owner_name, :packed)')
      .run({ ...overlay, id: name });
  else if (start !== undefined) database.prepare('insert or replace into start_view values (?, ?)').run(name, start);
  else if (kind === 'start') database.prepare('delete from start_view where owner = ?').run(name);
  else database.prepare(`delete from ${kind} where id = ?`).run(name);
  return true;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

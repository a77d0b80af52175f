import 'server-only';
import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { parseAddress } from '#lib/api/address-state.ts';
import { ApiError } from '#lib/api/error-code.ts';
import {
  type NewView,
  type SavedView,
  type SavedViewsAnswer,
  VIEWS_MAX,
  type ViewChange,
} from '#lib/api/saved-view.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { viewBox } from '#lib/geo/view-box.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import { inOrder, type Owner, ownerKey } from './owner.ts';

type Row = Selectable<Tables['view']>;

/** Larger than the map of any wall, also of a turned view. */
const WALL_PX = { width: 5120, height: 5120 };

/**
 * The views that operators save, and the one that each starts with. Operators see shared ones, and change only their
 * own. Every method but `startQuery` rejects with a `DatabaseFailure` where the database fails.
 */
export class SavedViews {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The operator's own views, then shared ones. */
  async list(owner: Owner): Promise<SavedViewsAnswer> {
    const { query } = this.#database;
    const rows = await query.selectFrom('view').selectAll().where(isSeenBy(owner)).execute();
    const start = (await startRow(query, owner))?.id ?? null;
    return { views: inOrder(rows.map((row) => toView(row, owner))), start };
  }

  /** @throws ApiError if the name is taken, or for one view too many */
  add(owner: Owner, { name, query: text, shared }: NewView, ownerName = ownerKey(owner)): Promise<SavedView> {
    return this.#database.change(async (query) => {
      const own = await query.selectFrom('view').select('id').where('owner', '=', ownerKey(owner)).execute();
      if (own.length >= VIEWS_MAX)
        throw new ApiError('too_many_views', `An operator has at most ${VIEWS_MAX} saved views; delete one first.`);
      const row: Row = {
        id: randomUUID(),
        owner: ownerKey(owner),
        name,
        query: text,
        shared: shared ? 1 : 0,
        owner_name: ownerName,
      };
      await requireFree(query, row);
      await query.insertInto('view').values(row).execute();
      return toView(row, owner);
    });
  }

  /** @throws ApiError unless the operator owns it, or if the name is taken */
  change(owner: Owner, id: string, change: ViewChange): Promise<SavedView> {
    return this.#database.change(async (query) => {
      const before = await ownRow(query, owner, id);
      const row: Row = {
        ...before,
        name: change.name ?? before.name,
        query: change.query ?? before.query,
        shared: change.shared === undefined ? before.shared : change.shared ? 1 : 0,
      };
      await requireFree(query, row);
      await query
        .updateTable('view')
        .set({ name: row.name, query: row.query, shared: row.shared })
        .where('id', '=', id)
        .execute();
      return toView(row, owner);
    });
  }

  /** @throws ApiError unless the operator owns it */
  remove(owner: Owner, id: string): Promise<SavedView> {
    return this.#database.change(async (query) => {
      const row = await ownRow(query, owner, id);
      await query.deleteFrom('view').where('id', '=', id).execute();
      return toView(row, owner);
    });
  }

  /** @throws ApiError if this operator sees no such view */
  setStart(owner: Owner, id: string | null): Promise<SavedView | undefined> {
    return this.#database.change(async (query) => {
      await query.deleteFrom('start_view').where('owner', '=', ownerKey(owner)).execute();
      if (id === null) return undefined;
      const row = await visibleRow(query, owner, id);
      await query
        .insertInto('start_view')
        .values({ owner: ownerKey(owner), view_id: id })
        .execute();
      return toView(row, owner);
    });
  }

  /** A view as a wall shows it, with the area of the map; `undefined` if it has no place, or is not shared any more. */
  async ofWall(id: string): Promise<{ readonly query: string; readonly area: Bbox } | undefined> {
    const views = this.#database.query.selectFrom('view').select('query');
    const row = await views.where('id', '=', id).where('shared', '=', 1).executeTakeFirst();
    const { view } = parseAddress(row?.query ?? '').state;
    return row && view && { query: row.query, area: viewBox(view, WALL_PX) };
  }

  /** Resolves with `undefined` if the owner has no start view, or the read fails. */
  async startQuery(owner: Owner): Promise<string | undefined> {
    try {
      return (await startRow(this.#database.query, owner))?.query;
    } catch {
      return undefined;
    }
  }
}

function isSeenBy(owner: Owner) {
  return (where: ExpressionBuilder<Tables, 'view'>) =>
    where.or([where('view.owner', '=', ownerKey(owner)), where('view.shared', '=', 1)]);
}

function toView({ id, owner, name, query, shared, owner_name }: Row, viewer: Owner): SavedView {
  const shownOwner = owner_name || owner;
  return { id, name, query, shared: shared === 1, mine: owner === ownerKey(viewer), owner: shownOwner || null };
}

async function visibleRow(query: Query, owner: Owner, id: string): Promise<Row> {
  const row = await query.selectFrom('view').selectAll().where('id', '=', id).where(isSeenBy(owner)).executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such view.');
  return row;
}

async function ownRow(query: Query, owner: Owner, id: string): Promise<Row> {
  const row = await visibleRow(query, owner, id);
  if (row.owner !== ownerKey(owner))
    throw new ApiError('not_owner', 'Only the operator who saved this view can change it.');
  return row;
}

function startRow(query: Query, owner: Owner): Promise<Row | undefined> {
  return query
    .selectFrom('view')
    .innerJoin('start_view', 'start_view.view_id', 'view.id')
    .selectAll('view')
    .where('start_view.owner', '=', ownerKey(owner))
    .where(isSeenBy(owner))
    .executeTakeFirst();
}

async function requireFree(query: Query, { id, owner, name }: Row): Promise<void> {
  const taken = await query
    .selectFrom('view')
    .select('id')
    .where('owner', '=', owner)
    .where('name', '=', name)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (taken) throw new ApiError('name_taken', `You have a view named ${JSON.stringify(name)} already.`);
}

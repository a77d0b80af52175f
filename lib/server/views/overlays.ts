import 'server-only';
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import {
  type NewOverlay,
  OVERLAY_JSON_MAX_BYTES,
  OVERLAYS_MAX,
  type Overlay,
  type OverlayContent,
  type OverlaysAnswer,
  overlayContentSchema,
} from '#lib/api/overlay.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { inOrder, type Owner, ownerKey } from './owner.ts';

type Row = Omit<Selectable<Tables['overlay']>, 'packed'>;

const SHOWN = ['id', 'owner', 'name', 'shared', 'owner_name'] as const;

/** Every method rejects with a `DatabaseFailure` where the database fails. */
export class Overlays {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The operator's own overlays, then shared ones. */
  async list(owner: Owner): Promise<OverlaysAnswer> {
    const { query } = this.#database;
    const rows = await query.selectFrom('overlay').select(SHOWN).where(isSeenBy(owner)).execute();
    return { overlays: inOrder(rows.map((row) => toOverlay(row, owner))) };
  }

  /** @throws ApiError if this operator sees no overlay of that id */
  async content(owner: Owner, id: string): Promise<OverlayContent> {
    const { query } = this.#database;
    const row = await query
      .selectFrom('overlay')
      .select('packed')
      .where('id', '=', id)
      .where(isSeenBy(owner))
      .executeTakeFirst();
    if (!row) throw noOverlay();
    return unpackedOverlay(row.packed);
  }

  /** @throws ApiError if the name is taken, for one overlay too many, or invalid content */
  async add(owner: Owner, { name, shared, packed }: NewOverlay, ownerName = ownerKey(owner)): Promise<Overlay> {
    unpackedOverlay(packed);
    const row: Row = { id: randomUUID(), owner: ownerKey(owner), name, shared: shared ? 1 : 0, owner_name: ownerName };
    await this.#database.change(async (query) => {
      const own = await query.selectFrom('overlay').select('name').where('owner', '=', row.owner).execute();
      if (own.some((overlay) => overlay.name === name))
        throw new ApiError('name_taken', `You have an overlay named ${JSON.stringify(name)} already.`);
      if (own.length >= OVERLAYS_MAX)
        throw new ApiError('too_many_overlays', `An operator has at most ${OVERLAYS_MAX} overlays; remove one first.`);
      await query
        .insertInto('overlay')
        .values({ ...row, packed })
        .execute();
    });
    return toOverlay(row, owner);
  }

  /** @throws ApiError unless the operator owns it */
  remove(owner: Owner, id: string): Promise<Overlay> {
    return this.#database.change(async (query) => {
      const row = await query
        .selectFrom('overlay')
        .select(SHOWN)
        .where('id', '=', id)
        .where(isSeenBy(owner))
        .executeTakeFirst();
      if (!row) throw noOverlay();
      if (row.owner !== ownerKey(owner))
        throw new ApiError('not_owner', 'Only the operator who added this overlay can remove it.');
      await query.deleteFrom('overlay').where('id', '=', id).execute();
      return toOverlay(row, owner);
    });
  }
}

function isSeenBy(owner: Owner) {
  return (where: ExpressionBuilder<Tables, 'overlay'>) =>
    where.or([where('owner', '=', ownerKey(owner)), where('shared', '=', 1)]);
}

function noOverlay(): ApiError {
  return new ApiError('not_found', 'There is no such overlay.');
}

function toOverlay({ id, owner, name, shared, owner_name }: Row, viewer: Owner): Overlay {
  return { id, name, shared: shared === 1, mine: owner === ownerKey(viewer), owner: owner_name || owner || null };
}

function unpackedOverlay(packed: string): OverlayContent {
  let value: unknown;
  try {
    const json = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: OVERLAY_JSON_MAX_BYTES });
    value = JSON.parse(json.toString('utf8'));
  } catch {
    throw new ApiError('bad_body', `packed must be JSON of at most ${OVERLAY_JSON_MAX_BYTES} bytes, by raw deflate.`);
  }
  const { data, error } = overlayContentSchema.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new ApiError('bad_body', `packed is no overlay: ${issue?.path.join('.')} ${issue?.message}`);
}

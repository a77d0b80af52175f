import 'server-only';
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inflateRawSync } from 'node:zlib';
import {
  type NewOverlay,
  OVERLAY_JSON_MAX_BYTES,
  OVERLAYS_MAX,
  type Overlay,
  type OverlayContent,
  type OverlaysAnswer,
  overlayContentSchema,
} from '#lib/api/overlay.ts';
import { ApiError } from '../api-error.ts';

/** Beside the views. `packed` is as `POST /api/overlays` takes it, and was found to be an overlay. */
export const OVERLAY_SCHEMA = `
  create table if not exists overlay (
    id text primary key,
    owner text not null,
    name text not null,
    shared integer not null,
    owner_name text not null,
    packed text not null
  ) strict, without rowid;
  create index if not exists overlay_owner on overlay (owner, name)`;

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly shared: 0 | 1;
  readonly owner_name: string;
}

const byName = new Intl.Collator('en', { numeric: true });
const SEEN = 'owner = :owner or shared = 1';

/** @param owner '' without sign-in */
export function listOverlays(database: DatabaseSync, owner: string): OverlaysAnswer {
  const rows = database
    .prepare(`select id, owner, name, shared, owner_name from overlay where ${SEEN}`)
    .all({ owner }) as unknown as Row[];
  const overlays = rows.map((row) => toOverlay(row, owner));
  overlays.sort((a, b) => Number(b.mine) - Number(a.mine) || byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
  return { overlays };
}

/** What is drawn of an overlay. @throws ApiError if this operator sees none of that id */
export function overlayContent(database: DatabaseSync, owner: string, id: string): OverlayContent {
  const row = database.prepare(`select packed from overlay where id = :id and (${SEEN})`).get({ id, owner });
  if (!row) throw noOverlay();
  return unpackedOverlay((row as { packed: string }).packed);
}

/** @throws ApiError if the name is taken, for one overlay too many, and if what is packed is no overlay */
export function addOverlay(
  database: DatabaseSync,
  owner: string,
  { name, shared, packed }: NewOverlay,
  ownerName: string,
): Overlay {
  unpackedOverlay(packed);
  const own = database.prepare('select name from overlay where owner = ?').all(owner) as { name: string }[];
  if (own.some((overlay) => overlay.name === name))
    throw new ApiError('name_taken', `You have an overlay named ${JSON.stringify(name)} already.`);
  if (own.length >= OVERLAYS_MAX)
    throw new ApiError('too_many_overlays', `An operator has at most ${OVERLAYS_MAX} overlays; remove one first.`);
  const row: Row = { id: randomUUID(), owner, name, shared: shared ? 1 : 0, owner_name: ownerName };
  database
    .prepare('insert into overlay values (:id, :owner, :name, :shared, :owner_name, :packed)')
    .run({ ...row, packed });
  return toOverlay(row, owner);
}

/** @throws ApiError if there is no such overlay, or it is another operator's */
export function removeOverlay(database: DatabaseSync, owner: string, id: string): Overlay {
  const row = database
    .prepare(`select id, owner, name, shared, owner_name from overlay where id = :id and (${SEEN})`)
    .get({ id, owner }) as unknown as Row | undefined;
  if (!row) throw noOverlay();
  if (row.owner !== owner) throw new ApiError('not_owner', 'Only the operator who added this overlay can remove it.');
  database.prepare('delete from overlay where id = ?').run(id);
  return toOverlay(row, owner);
}

function noOverlay(): ApiError {
  return new ApiError('not_found', 'There is no such overlay.');
}

function toOverlay({ id, owner, name, shared, owner_name }: Row, viewer: string): Overlay {
  return { id, name, shared: shared === 1, mine: owner === viewer, owner: owner_name || owner || null };
}

/** @throws ApiError if it is no overlay */
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

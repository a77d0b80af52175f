import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#lib/api/error-code.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { type Bbox, bboxCovers, formatBbox } from '#lib/geo/bbox.ts';
import { isoTime } from '#lib/time/instant.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import { type ZoneContent, zoneContentSchema } from '#lib/zones/zone.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Query, Tables } from '../database/tables.ts';
import { type Owner, ownerKey } from '../views/owner.ts';
import { Yielding } from '../work/yielding.ts';

export interface ZoneCaller {
  readonly owner: Owner;
  /** The name that other operators see; '' without sign-in. */
  readonly name: string;
  /** The name in acknowledgements and closings; '' without sign-in. */
  readonly actor: string;
  readonly isAdmin: boolean;
  /** A program: it changes only what it made. */
  readonly isProgram?: boolean;
  /** Of a token: what it writes lies there. */
  readonly area?: Bbox | undefined;
}

/** @throws ApiError for a box that reaches out of the area of a token */
export function requireInArea({ area }: Pick<ZoneCaller, 'area'>, box: Bbox): void {
  if (area && !bboxCovers(area, box))
    throw new ApiError('outside_area', `This token is for the area ${formatBbox(area)} alone.`);
}

/** A caller who sees shared zones only: no operator's id has a line break. */
export const SHARED_ONLY: ZoneCaller = { owner: '\n', name: '', actor: '', isAdmin: false };

/** The caller without sign-in. */
export const ALONE: ZoneCaller = { owner: undefined, name: '', actor: '', isAdmin: false };

export type ZoneRow = Selectable<Tables['zone_revision']> & Pick<Tables['zone_body'], 'body'>;
/** A zone's row without its content, which may have 64 kB. */
export type ZoneHead = Omit<Selectable<Tables['zone_revision']>, 'content' | 'body_id'>;

export const HEAD_COLUMNS = [
  ...(['zone_revision.zone_id', 'zone_revision.revision', 'zone_revision.owner', 'zone_revision.owner_name'] as const),
  ...(['zone_revision.name', 'zone_revision.shared', 'zone_revision.removed', 'zone_revision.author'] as const),
  ...(['zone_revision.author_name', 'zone_revision.at_ms'] as const),
] as const;

/**
 * The one rule of who sees a zone, and with it its alarms, notices, stretches and exports: an admin sees all zones, others
 * see their own and shared ones. The zone's latest revision decides, also about its past and after its removal.
 */
export function isSeenBy({ owner, isAdmin }: ZoneCaller, zoneId: 'alarm.zone_id' | 'zone_revision.zone_id') {
  return (where: ExpressionBuilder<Tables, 'zone_revision'>) =>
    where.and([
      isLatestRevision(zoneId),
      isAdmin
        ? where.lit(true)
        : where.or([where('zone_revision.owner', '=', ownerKey(owner)), where('zone_revision.shared', '=', 1)]),
    ]);
}

export function isLatestRevision(zoneId: 'alarm.zone_id' | 'zone_revision.zone_id') {
  return sql<boolean>`zone_revision.revision =
    (select max(other.revision) from zone_revision as other where other.zone_id = ${sql.ref(zoneId)})`;
}

/** The latest revision of each zone that the caller sees, also of removed ones. */
export function latestRevisions(query: Query, caller: ZoneCaller) {
  return query.selectFrom('zone_revision').where(isSeenBy(caller, 'zone_revision.zone_id'));
}

export function currentRevisions(query: Query) {
  return query
    .selectFrom('zone')
    .innerJoin('zone_revision', (join) =>
      join.onRef('zone_revision.zone_id', '=', 'zone.id').onRef('zone_revision.revision', '=', 'zone.revision'),
    );
}

/** All revisions of all zones, with their bodies. */
export function revisionRows(query: Query) {
  return query
    .selectFrom('zone_revision')
    .innerJoin('zone_body', 'zone_body.id', 'zone_revision.body_id')
    .selectAll('zone_revision')
    .select('zone_body.body');
}

/** @throws ApiError if it does not exist, or the caller must not change it */
export async function ownZone(query: Query, caller: ZoneCaller, id: string): Promise<ZoneRow> {
  const row = await currentRevisions(query)
    .innerJoin('zone_body', 'zone_body.id', 'zone_revision.body_id')
    .selectAll('zone_revision')
    .select('zone_body.body')
    .where('zone.id', '=', id)
    .where(isSeenBy(caller, 'zone_revision.zone_id'))
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such zone.');
  if (row.owner !== ownerKey(caller.owner) && !caller.isAdmin)
    throw new ApiError('not_owner', 'Only the operator who added this zone, or an admin, can change it.');
  if (caller.area) requireInArea(caller, shapeBox(contentOf(row).shape, 0));
  return row;
}

/** The zones of the ids that are watched now and that the caller sees. */
export async function zonesById(
  query: Query,
  caller: ZoneCaller,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ZoneContent & Pick<ZoneRow, 'name' | 'revision'>>> {
  if (ids.size === 0) return new Map();
  const rows = await revisionRows(query)
    .where('zone_revision.zone_id', 'in', [...ids])
    .where('zone_revision.removed', '=', 0)
    .where(isSeenBy(caller, 'zone_revision.zone_id'))
    .execute();
  return new Map(rows.map((row) => [row.zone_id, { name: row.name, revision: row.revision, ...contentOf(row) }]));
}

export function contentOf({ content, body }: Pick<ZoneRow, 'content' | 'body'>): ZoneContent {
  return zoneContentSchema.parse({ ...JSON.parse(content), ...JSON.parse(body) });
}

/** The columns of a zone’s content. @param before the replaced revision: columns with the same meaning keep its text */
export function contentColumns(
  { shape, source, ...content }: ZoneContent,
  before?: ZoneRow,
): Pick<ZoneRow, 'content' | 'body'> {
  const columns = { content: JSON.stringify(content), body: JSON.stringify({ shape, source }) };
  if (before === undefined) return columns;
  const { shape: shapeBefore, source: sourceBefore, ...contentBefore } = contentOf(before);
  const isBodySame = isDeepStrictEqual([shape, source], [shapeBefore, sourceBefore]);
  return {
    content: isDeepStrictEqual(content, contentBefore) ? before.content : columns.content,
    body: isBodySame ? before.body : columns.body,
  };
}

/** @param removedMs of a zone of the past */
export function toZone(row: ZoneHead, content: ZoneContent, viewer: Owner, removedMs: number | null = null): Zone {
  return {
    id: row.zone_id,
    revision: row.revision,
    name: row.name,
    shared: row.shared === 1,
    mine: row.owner === ownerKey(viewer),
    owner: row.owner_name || row.owner || null,
    changed_at: isoTime(row.at_ms),
    removed_at: removedMs === null ? null : isoTime(removedMs),
    ...content,
  };
}

/** Zones of 500 corners each take 2 MB. */
const READ_AT_ONCE = 100;

type Revision = Pick<ZoneHead, 'zone_id' | 'revision'>;

/** Contents of revisions, which never change: each is read and parsed once, for the watch and for all answers. */
export class ZoneContents {
  readonly #known = new LRUCache<string, ZoneContent>({ max: 2 * ZONES_MAX });

  /** The heads with their contents, in the same order, without those that were deleted since. */
  async with<Head extends Revision>(
    query: Query,
    heads: readonly Head[],
  ): Promise<readonly (readonly [Head, ZoneContent])[]> {
    const found = new Map<string, ZoneContent>();
    const missing: Head[] = [];
    for (const head of heads) {
      const known = this.#known.get(revisionKey(head));
      if (known) found.set(revisionKey(head), known);
      else missing.push(head);
    }
    const yielding = new Yielding();
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      const part = missing.slice(from, from + READ_AT_ONCE);
      const rows = await revisionRows(query)
        .where((where) =>
          where.or(
            part.map((each) => where.and([where('zone_id', '=', each.zone_id), where('revision', '=', each.revision)])),
          ),
        )
        .execute();
      for (const row of rows) {
        if (yielding.isDue) await yielding.next();
        const content = contentOf(row);
        this.#known.set(revisionKey(row), content);
        found.set(revisionKey(row), content);
      }
    }
    return heads.flatMap((head) => {
      const content = found.get(revisionKey(head));
      return content ? [[head, content] as const] : [];
    });
  }
}

function revisionKey({ zone_id, revision }: Revision): string {
  return `${zone_id} ${revision}`;
}

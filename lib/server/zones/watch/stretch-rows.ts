import 'server-only';
import type { SelectQueryBuilder } from 'kysely';
import { UNWATCHED_READ_MAX } from '#lib/api/watching/zones.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';

export type StretchRow = Tables['zone_stretch'];

/** Each id once. */
type ZoneIds = SelectQueryBuilder<Tables, 'zone_revision' | 'zone', { zone_id: string }>;

export interface StretchesOver {
  /** Of other zones too, unless one was named. */
  readonly rows: readonly StretchRow[];
  /** They are complete from here: later than `startMs` where there are too many. */
  readonly sinceMs: number;
}

/** @param zone alone */
export async function stretchesOver(
  query: Query,
  ids: ZoneIds,
  { startMs, endMs, zone }: { readonly startMs: number; readonly endMs: number; readonly zone: string | undefined },
): Promise<StretchesOver> {
  const begun = await query
    .selectFrom('zone_stretch')
    .selectAll()
    .where('from_ms', '>=', startMs)
    .where('from_ms', '<', endMs)
    .$if(zone !== undefined, (of) => of.where('zone_id', '=', zone as string).where('layer', 'in', LAYERS))
    .orderBy('from_ms', 'desc')
    .limit(UNWATCHED_READ_MAX)
    .execute();
  const cutMs = begun.length === UNWATCHED_READ_MAX ? begun.at(-1)?.from_ms : undefined;
  const sinceMs = cutMs === undefined ? startMs : cutMs + 1;
  const before = await lastStretches(query, ids, sinceMs);
  return { rows: [...before, ...begun].filter(({ to_ms }) => to_ms > sinceMs), sinceMs };
}

/** Of each zone and layer. @param beforeMs begun before then */
export async function lastStretches(
  query: Query,
  ids: ZoneIds,
  beforeMs = Number.MAX_SAFE_INTEGER,
): Promise<readonly StretchRow[]> {
  const ofLayers = LAYERS.map((layer) =>
    query
      .selectFrom(ids.as('seen'))
      // SQLite keeps the order of a cross join: one look into the index for each zone.
      .crossJoin('zone_stretch')
      .whereRef('zone_stretch.zone_id', '=', 'seen.zone_id')
      .where('zone_stretch.layer', '=', layer)
      .where((where) =>
        where(
          'zone_stretch.from_ms',
          '=',
          where
            .selectFrom('zone_stretch as other')
            .select(({ fn }) => fn.max('other.from_ms').as('latest'))
            .whereRef('other.zone_id', '=', 'seen.zone_id')
            .where('other.layer', '=', layer)
            .where('other.from_ms', '<', beforeMs),
        ),
      )
      .selectAll('zone_stretch')
      .execute(),
  );
  return (await Promise.all(ofLayers)).flat();
}

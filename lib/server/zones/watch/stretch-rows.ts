import 'server-only';
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { UNWATCHED_READ_MAX } from '#lib/api/watching/zones.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import type { WatchedNote } from '#lib/zones/evaluation/transition.ts';
import { worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { chunks } from '../alarms/chunks.ts';

/** The ledger of watched time: when each zone was read, by layer. Stretches of a layer never overlap. */

/** A stretch that may still grow. */
export interface OpenStretch extends Omit<WatchedNote, 'from' | 'to'> {
  readonly fromMs: number;
  toMs: number;
}

export type StretchRow = Tables['zone_stretch'];

/** A query that selects each id once. */
type ZoneIds = SelectQueryBuilder<Tables, 'zone_revision' | 'zone', { zone_id: string }>;

export interface StretchesOver {
  /** Has rows of other zones too, unless one was named. */
  readonly rows: readonly StretchRow[];
  /** The rows are complete from this time on: later than `startMs` where there are too many. */
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

/** The last stretch of each zone and layer. @param beforeMs only stretches that began before it */
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

export function stretchOfRow({ zone_id, layer, from_ms, to_ms, state, reason }: StretchRow): OpenStretch {
  return {
    zoneId: zone_id,
    layer: layer as Layer,
    fromMs: from_ms,
    toMs: to_ms,
    state: state as OpenStretch['state'],
    reason: reason as OpenStretch['reason'],
  };
}

/** Times that were stored as better, of zones that are still watched. */
export async function worsenStretches(query: Transaction<Tables>, worsened: readonly OpenStretch[]): Promise<void> {
  if (worsened.length === 0) return;
  const ids = query.selectFrom('zone').select('id as zone_id');
  const startMs = Math.min(...worsened.map(({ fromMs }) => Math.floor(fromMs)));
  const endMs = Math.max(...worsened.map(({ toMs }) => Math.ceil(toMs)));
  const { rows } = await stretchesOver(query, ids, { startMs, endMs, zone: undefined });
  const worse = Map.groupBy(worsened, ({ zoneId, layer }) => `${zoneId} ${layer}`);
  for (const madeUp of [0, 1] as const) {
    const changed = rows
      .filter((row) => row.made_up === madeUp)
      .flatMap((row) => {
        const stored = stretchOfRow(row);
        const parts = (worse.get(`${row.zone_id} ${row.layer}`) ?? []).reduce<readonly OpenStretch[]>(
          (all, each) => all.flatMap((part) => worsenedStretch(part, { ...each, fromMs: Math.floor(each.fromMs) })),
          [stored],
        );
        return parts.length === 1 && parts[0] === stored ? [] : parts;
      });
    await writeStretches(query, changed, madeUp);
  }
}

export async function writeStretches(
  query: Transaction<Tables>,
  stretches: readonly OpenStretch[],
  madeUp: 0 | 1,
): Promise<void> {
  const all = stretches.map(({ zoneId, layer, fromMs, toMs, state, reason }) => ({
    zone_id: zoneId,
    layer,
    from_ms: Math.floor(fromMs),
    to_ms: Math.floor(toMs),
    state,
    reason,
    made_up: madeUp,
  }));
  const rows = all.filter(({ from_ms, to_ms }) => from_ms < to_ms);
  for await (const values of chunks(rows))
    await query
      .insertInto('zone_stretch')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['zone_id', 'layer', 'from_ms']).doUpdateSet({
          to_ms: sql`excluded.to_ms`,
          state: sql`excluded.state`,
          reason: sql`excluded.reason`,
          made_up: sql`excluded.made_up`,
        }),
      )
      .execute();
}

/**
 * Whether the parts together are one stored stretch. A part of a gap may have turned out to be worse while history was
 * read for it.
 */
export async function isStored(query: Transaction<Tables>, parts: readonly OpenStretch[]): Promise<boolean> {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return false;
  const row = await query
    .selectFrom('zone_stretch')
    .select('to_ms')
    .where('zone_id', '=', first.zoneId)
    .where('layer', '=', first.layer)
    .where('from_ms', '=', Math.floor(first.fromMs))
    .executeTakeFirst();
  return row?.to_ms === Math.floor(last.toMs);
}

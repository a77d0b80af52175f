import 'server-only';
import { alarmSchema } from '#lib/api/watching/alarms.ts';
import type { AnnouncedZone, OpenAlarms } from '#lib/outputs/mqtt-messages.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Query } from '../../database/tables/tables.ts';

const { kind: kindSchema, layer: layerSchema, state: stateSchema, ended: endedSchema } = alarmSchema.shape;

/** By zone. */
export async function openAlarms(
  query: Query,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OpenAlarms[]>> {
  const rows = await query
    .selectFrom('alarm')
    .select(['zone_id', 'kind', 'simulated', 'test', 'expected'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('zone_id', 'in', zoneIds)
    .where('state', '<>', 'ended')
    .groupBy(['zone_id', 'kind', 'simulated', 'test', 'expected'])
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ zone_id }) => zone_id)].map(([id, its]) => [
      id,
      its.map(({ kind, simulated, test, expected, count }) => ({
        kind: kindSchema.parse(kind),
        count: Number(count),
        simulated: simulated === 1,
        test: test === 1,
        expected: expected === 1,
      })),
    ]),
  );
}

/** By zone: that was opened last and is not expected. */
export async function lastAlarms(
  query: Query,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<AnnouncedZone['last']>>> {
  const rows = await query
    .selectFrom('alarm')
    .select(['id', 'zone_id', 'kind', 'layer', 'ref', 'opened_ms', 'state', 'ended', 'simulated', 'test'])
    .where('expected', '=', 0)
    .where((where) =>
      where.or(
        zoneIds.map((id) =>
          where(
            'alarm.id',
            '=',
            where
              .selectFrom('alarm as other')
              .select('other.id')
              .where('other.zone_id', '=', id)
              .where('other.expected', '=', 0)
              .orderBy('other.opened_ms', 'desc')
              .orderBy('other.id')
              .limit(1),
          ),
        ),
      ),
    )
    .execute();
  return new Map(
    rows.map(({ zone_id, id, kind, layer, ref, opened_ms, state, ended, simulated, test }) => [
      zone_id,
      {
        id,
        kind: kindSchema.parse(kind),
        layer: layerSchema.parse(layer),
        track: ref,
        opened_at: formatInstant(upstreamInstant(opened_ms)),
        state: stateSchema.parse(state),
        ended: endedSchema.parse(ended),
        simulated: simulated === 1,
        test: test === 1,
      },
    ]),
  );
}

import 'server-only';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import { deliverySchema } from '#lib/api/outputs/destinations.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { alarmLink, type Notice } from '#lib/outputs/notice.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';
import { alarmsOf } from '../../zones/alarms/alarm-row.ts';
import { shapeCentre } from '../../zones/shape-box.ts';
import { isLatestRevision } from '../../zones/zone-rows.ts';
import type { StoredDestination } from '../destinations/destination-row.ts';

/** Further alarms are counted: a notice of 10,000 has 100 kB at most. */
const LISTED_MAX = 20;

const bodySchema = z.object({ shape: zoneContentSchema.shape.shape });

export type DeliveryRow = Selectable<Tables['delivery']>;

/** @returns `undefined` where all its alarms are deleted */
export async function noticeOf(
  query: Query,
  row: DeliveryRow,
  { units, timeZone }: StoredDestination,
  publicOrigin: string | undefined,
  now: UpstreamInstant,
): Promise<Notice | undefined> {
  const of = query
    .selectFrom('delivery_alarm')
    .innerJoin('alarm', 'alarm.id', 'delivery_alarm.alarm_id')
    .where('delivery_alarm.delivery_id', '=', row.id);
  const { count, zones } = await of
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.count<number>('alarm.zone_id').distinct().as('zones')])
    .executeTakeFirstOrThrow();
  const rows = await of
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'alarm.zone_id')
    .innerJoin('zone_body', 'zone_body.id', 'zone_revision.body_id')
    .where(isLatestRevision('alarm.zone_id'))
    .selectAll('alarm')
    .select(['zone_revision.name as zone_name', 'zone_body.body as zone_body'])
    .orderBy('delivery_alarm.place')
    .limit(LISTED_MAX)
    .execute();
  const alarms = await alarmsOf(query, rows);
  const zoneCentres = new Map(
    rows.flatMap(({ zone_id, zone_body }, place): [string, LonLat][] =>
      alarms[place]?.evidence.length === 0 ? [[zone_id, centreOf(zone_body)]] : [],
    ),
  );
  const [first] = alarms;
  const type = deliverySchema.shape.type.parse(row.type);
  if (!first && type !== 'trial') return undefined;
  return {
    id: row.id,
    type,
    at: upstreamInstant(row.created_ms),
    alarms,
    units,
    timeZone,
    more: Number(count) - alarms.length,
    zones: Number(zones),
    zoneCentres,
    link: first && publicOrigin !== undefined ? alarmLink(publicOrigin, first, now) : null,
  };
}

function centreOf(body: string): LonLat {
  return shapeCentre(bodySchema.parse(JSON.parse(body)).shape);
}

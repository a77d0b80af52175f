import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { OneIncident } from '#lib/api/watching/incidents.ts';
import { raisedAt } from '#lib/zones/alarm-place.ts';
import { groundOf } from '#lib/zones/ground.ts';
import type { Database } from '../database/database.ts';
import { deliveriesOfAlarms } from '../delivery/deliveries.ts';
import { alarmsOf, seenAlarms } from '../zones/alarms/alarm-row.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import type { IncidentQuestion } from './incident-rows.ts';

/** More alarms of one place and day are a flood, of which the first are enough. */
const ALARMS_MAX = 1000;

/**
 * The alarms of an incident's area and window, and those added by hand, in the order of their opening. An alarm of a
 * private zone is left out, since every viewer sees the incident.
 */
export async function incidentAlarms(
  { query }: Database,
  everyone: ZoneCaller,
  { shape, fromMs, toMs, zoneId, layers }: IncidentQuestion,
  added: readonly string[],
): Promise<readonly Alarm[]> {
  const rows = await seenAlarms(query, everyone)
    .where((where) => {
      const its = where.and([
        where('alarm.layer', 'in', [...layers]),
        where('alarm.opened_ms', '<', toMs ?? Number.MAX_SAFE_INTEGER),
        where.or([where('alarm.ended_ms', 'is', null), where('alarm.ended_ms', '>=', fromMs)]),
        ...(zoneId === undefined ? [] : [where('alarm.zone_id', '=', zoneId)]),
      ]);
      return added.length === 0 ? its : where.or([its, where('alarm.id', 'in', [...added])]);
    })
    .orderBy('alarm.opened_ms')
    .orderBy('alarm.id')
    .limit(ALARMS_MAX)
    .execute();
  const alarms = await alarmsOf(query, rows);
  if (zoneId !== undefined) return alarms;
  const ground = groundOf(shape);
  return alarms.filter((alarm) => {
    const at = raisedAt(alarm);
    return added.includes(alarm.id) || (at !== undefined && ground.contains(at.longitude, at.latitude));
  });
}

/** @throws ApiError for an alarm that not everyone sees */
export async function requireAlarms({ query }: Database, everyone: ZoneCaller, ids: readonly string[]): Promise<void> {
  const seen = await seenAlarms(query, everyone)
    .where('alarm.id', 'in', [...ids])
    .execute();
  const known = new Set(seen.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new ApiError(
      'not_found',
      `There is no alarm ${missing} that everyone sees. An incident shows no alarm of a private zone: share the zone first.`,
    );
}

export async function incidentDeliveries(
  database: Database,
  alarms: readonly Alarm[],
): Promise<OneIncident['deliveries']> {
  const found = await deliveriesOfAlarms(
    database.query,
    alarms.map(({ id }) => id),
  );
  return found.map(({ alarm, delivery }) => ({ alarm, ...delivery }));
}

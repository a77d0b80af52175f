import 'server-only';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { isSuspension, SUSPENSIONS } from '#lib/zones/alarm.ts';
import { orRefuse } from '../database/database-failure.ts';
import type { Query } from '../database/tables/tables.ts';

type Suspended = PricedZone['suspended'][number];

/** By zone. @throws ApiError where the database fails */
export async function suspendedRules(query: Query): Promise<ReadonlyMap<string, Suspended[]>> {
  const rows = await orRefuse(
    query
      .selectFrom('alarm')
      .select(['zone_id', 'rule_id', 'layer', 'kind', 'count', 'opened_ms'])
      .where('state', '<>', 'ended')
      .where('kind', 'in', SUSPENSIONS)
      .orderBy('opened_ms')
      .execute(),
  );
  const byZone = new Map<string, Suspended[]>();
  for (const { zone_id, rule_id: rule, layer, kind, count, opened_ms } of rows) {
    if (!isSuspension(kind)) continue;
    const since = formatInstant(upstreamInstant(opened_ms));
    const its = byZone.get(zone_id) ?? [];
    its.push({
      rule,
      layer: layer as Suspended['layer'],
      reason: kind,
      since,
      alarms: kind === 'too_many' ? count : null,
    });
    byZone.set(zone_id, its);
  }
  return byZone;
}

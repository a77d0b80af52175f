import 'server-only';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import { roleMay } from '#lib/api/people/permission.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import type { Viewer } from './session-cookie.ts';

/** A viewer who may not spend gets only what is cached. */
export function queryWithinRole(query: HistoryQuery, { operator }: Viewer): HistoryQuery {
  return roleMay(operator.role, 'spend') ? query : { ...query, maxRequests: 0 };
}

export function costWithinRole(cost: HistoryCost, { operator }: Viewer): HistoryCost {
  if (roleMay(operator.role, 'spend')) return cost;
  const { middle, tiles } = cost;
  return { ...cost, middle: { ...middle, max_requests: 0 }, tiles: tiles && { ...tiles, max_requests: 0 } };
}

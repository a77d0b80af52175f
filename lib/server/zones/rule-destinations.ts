import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { NOTICE_KINDS } from '#lib/api/outputs/destination-kinds.ts';
import type { Rule } from '#lib/zones/rule.ts';
import type { Query } from '../database/tables/tables.ts';

/** A heartbeat takes no alarms. @param before they may name destinations that were removed since @throws ApiError */
export async function requireDestinations(
  query: Query,
  rules: readonly Rule[],
  before: readonly Rule[] = [],
): Promise<void> {
  const named = namedBy(rules).difference(namedBy(before));
  if (named.size === 0) return;
  const known = await query
    .selectFrom('destination')
    .select('id')
    .where('id', 'in', [...named])
    .where('removed', '=', 0)
    .where('kind', 'in', NOTICE_KINDS)
    .execute();
  for (const { id } of known) named.delete(id);
  const [missing] = named;
  if (missing !== undefined) throw new ApiError('bad_body', `rules: there is no destination ${missing} for alarms.`);
}

function namedBy(rules: readonly Rule[]): Set<string> {
  return new Set(rules.flatMap(({ notify, escalate }) => [...notify, ...(escalate ? [escalate.destination] : [])]));
}

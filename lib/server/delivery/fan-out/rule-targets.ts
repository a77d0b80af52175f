import 'server-only';
import * as z from 'zod/mini';
import type { Rule } from '#lib/zones/rule.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import type { Query } from '../../database/tables/tables.ts';

interface OfRule {
  readonly zone_id: string;
  readonly zone_revision: number;
  readonly rule_id: string;
}

export type RuleTargets = Pick<Rule, 'notify' | 'escalate'>;

const rulesSchema = z.object({ rules: zoneContentSchema.shape.rules });
const NONE: RuleTargets = { notify: [], escalate: null };

/** The latest revision of the rule decides, since a change of its destinations ends no alarm. */
export async function ruleTargets(query: Query, alarms: readonly OfRule[]): Promise<(alarm: OfRule) => RuleTargets> {
  const rules = new Map<string, RuleTargets>();
  for (const [zoneId, its] of Map.groupBy(alarms, ({ zone_id }) => zone_id)) {
    const rows = await query
      .selectFrom('zone_revision')
      .select('content')
      .where('zone_id', '=', zoneId)
      .where((where) =>
        where.or([
          where('revision', 'in', [...new Set(its.map(({ zone_revision }) => zone_revision))]),
          where(
            'revision',
            '=',
            where
              .selectFrom('zone_revision as other')
              .select(({ fn }) => fn.max('other.revision').as('latest'))
              .where('other.zone_id', '=', zoneId),
          ),
        ]),
      )
      .orderBy('revision')
      .execute();
    for (const { content } of rows)
      for (const rule of rulesSchema.parse(JSON.parse(content)).rules) rules.set(`${zoneId} ${rule.id}`, rule);
  }
  return ({ zone_id, rule_id }) => rules.get(`${zone_id} ${rule_id}`) ?? NONE;
}

import 'server-only';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { AlarmFilter, AlarmsQuery } from '#lib/api/watching/alarms.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Tables } from '../../database/tables/tables.ts';

type Where = ExpressionBuilder<Tables, 'alarm' | 'zone_revision'>;
type Condition = Expression<SqlBool>;

/** @param nowMs ends acknowledgements */
export function alarmFilter(where: Where, { zone, state, text, start, end }: AlarmFilter, nowMs: number): Condition {
  const all: Condition[] = [];
  if (zone !== undefined) all.push(where('alarm.zone_id', '=', zone));
  if (state !== undefined) all.push(stateCondition(where, state, nowMs));
  if (start !== undefined) all.push(where('alarm.opened_ms', '>=', epochMs(start)));
  if (end !== undefined) all.push(where('alarm.opened_ms', '<', epochMs(end)));
  if (text !== undefined) all.push(where.or(SEARCHED.map((column) => contains(where, column, text))));
  return where.and(all);
}

const SEARCHED = [
  'alarm.ref',
  'alarm.acknowledged_by',
  'alarm.acknowledged_comment',
  'alarm.closed_by',
  'alarm.closed_comment',
  'zone_revision.name',
] as const;

function stateCondition(where: Where, state: NonNullable<AlarmsQuery['state']>, nowMs: number): Condition {
  const isAcknowledged = where.and([
    where('alarm.acknowledged_by', 'is not', null),
    where.or([
      where('alarm.state', '=', 'ended'),
      where('alarm.acknowledged_until_ms', 'is', null),
      where('alarm.acknowledged_until_ms', '>', nowMs),
    ]),
  ]);
  const isOpen = where('alarm.closed_by', 'is', null);
  switch (state) {
    case 'new':
      return where.and([isOpen, where.not(isAcknowledged)]);
    case 'acknowledged':
      return where.and([isOpen, isAcknowledged]);
    case 'closed':
      return where('alarm.closed_by', 'is not', null);
    default:
      return where('alarm.state', '=', state);
  }
}

/** Ignores case as far as both databases do. */
function contains(where: Where, column: (typeof SEARCHED)[number], text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return where(where.fn('lower', [column]), 'like', sql`${pattern} escape '\\'`);
}

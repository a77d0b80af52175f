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
  if (text !== undefined) {
    const noted = where.exists(
      where
        .selectFrom('alarm_note')
        .select('number')
        .whereRef('alarm_note.alarm_id', '=', 'alarm.id')
        .where((note) => note.or(NOTED.map((column) => contains(column, text)))),
    );
    all.push(where.or([...SEARCHED.map((column) => contains(column, text)), noted]));
  }
  return where.and(all);
}

const SEARCHED = [
  'alarm.ref',
  // Also of an acknowledgement that an earlier alarm brought along.
  'alarm.acknowledged_by',
  'alarm.acknowledged_comment',
  'zone_revision.name',
];
const NOTED = ['alarm_note.operator', 'alarm_note.comment'];

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
function contains(column: string, text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

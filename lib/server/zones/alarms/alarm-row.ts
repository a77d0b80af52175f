import 'server-only';
import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import * as z from 'zod/mini';
import { layerSchema } from '#lib/api/layer-state.ts';
import { liveRecordSchema } from '#lib/api/live-answer.ts';
import {
  type Alarm,
  type AlarmFilter,
  type AlarmNote,
  type AlarmsQuery,
  alarmNoteSchema,
  alarmSchema,
  CLOSED_AS,
} from '#lib/api/watching/alarms.ts';
import { epochMs, isoTime, isoTimeOrNull } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { RULE_ALARMS, trackSchema } from '#lib/zones/alarm.ts';
import type { Database } from '../../database/database.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { Yielding } from '../../work/yielding.ts';
import { type PermitOfAlarm, permitsOfAlarms } from '../permit-rows.ts';
import { isSeenBy, type ZoneCaller } from '../zone-rows.ts';

/** Rows of alarms: as the API shows them, by a filter, and how their changes are numbered and published. */

export type StoredAlarm = Selectable<Tables['alarm']> & { readonly zone_name: string };
type NoteRow = Selectable<Tables['alarm_note']>;

const { kind: kindSchema, state: stateSchema, ended: endSchema } = alarmSchema.shape;
const evidenceSchema = z.array(liveRecordSchema);
const asSchema = z.enum(CLOSED_AS);
const { kind: noteKindSchema } = alarmNoteSchema.shape;

/** Alarms in the form of the API, with all answers of operators. @param yielding for many rows */
export async function alarmsOf(
  query: Query,
  rows: readonly StoredAlarm[],
  yielding = new Yielding(),
): Promise<Alarm[]> {
  const answered = rows.filter(({ revision }) => revision > 0).map(({ id }) => id);
  const notes =
    answered.length === 0
      ? []
      : await query.selectFrom('alarm_note').selectAll().where('alarm_id', 'in', answered).orderBy('number').execute();
  const byAlarm = Map.groupBy(notes, ({ alarm_id }) => alarm_id);
  const permits = await permitsOfAlarms(query, rows);
  const alarms: Alarm[] = [];
  for (const row of rows) {
    if (yielding.isDue) await yielding.next();
    alarms.push(toAlarm(row, byAlarm.get(row.id) ?? [], permits.get(row.id)));
  }
  return alarms;
}

/** The alarms of zones that the caller sees. */
export function seenAlarms(query: Query, caller: ZoneCaller) {
  return query
    .selectFrom('alarm')
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'alarm.zone_id')
    .where(isSeenBy(caller, 'alarm.zone_id'))
    .selectAll('alarm')
    .select('zone_revision.name as zone_name');
}

export function toNote({ kind, operator, at_ms, until_ms, closed_as, comment }: NoteRow): AlarmNote {
  return {
    kind: noteKindSchema.parse(kind),
    by: operator,
    at: isoTime(at_ms),
    until: isoTimeOrNull(until_ms),
    as: closed_as === null ? null : asSchema.parse(closed_as),
    comment,
  };
}

function toAlarm(row: StoredAlarm, notes: readonly NoteRow[], permitted: PermitOfAlarm | undefined): Alarm {
  return {
    id: row.id,
    revision: row.revision,
    zone: { id: row.zone_id, name: row.zone_name, revision: row.zone_revision },
    rule: { id: row.rule_id, kind: RULE_ALARMS.get(row.kind)?.rule ?? row.kind },
    layer: layerSchema.parse(row.layer),
    track: row.ref,
    other: row.other === null ? null : trackSchema.parse(JSON.parse(row.other)),
    kind: kindSchema.parse(row.kind),
    opened_at: isoTime(row.opened_ms),
    decided_at: isoTime(row.decided_ms),
    state: stateSchema.parse(row.state),
    unknown_since: isoTimeOrNull(row.unknown_since_ms),
    ended_at: isoTimeOrNull(row.ended_ms),
    ended: endSchema.parse(row.ended),
    count: row.count,
    found_later: row.found_later_ms === null ? null : Math.round(row.found_later_ms / SECOND_MS),
    height_unknown: row.height_unknown === 1,
    simulated: row.simulated === 1,
    test: row.test === 1,
    perhaps_same_as: row.perhaps_same_as,
    expected: row.expected === 1,
    permit: permitted?.permit ?? null,
    watched: permitted?.watched ?? null,
    acknowledged: acknowledgedOf(row),
    closed: closedOf(row),
    notes: notes.map(toNote),
    evidence: evidenceSchema.parse(JSON.parse(row.evidence)),
  };
}

function acknowledgedOf(row: StoredAlarm): Alarm['acknowledged'] {
  if (row.acknowledged_by === null || row.acknowledged_ms === null) return null;
  return {
    by: row.acknowledged_by,
    at: isoTime(row.acknowledged_ms),
    until: isoTimeOrNull(row.acknowledged_until_ms),
    comment: row.acknowledged_comment ?? '',
  };
}

function closedOf(row: StoredAlarm): Alarm['closed'] {
  if (row.closed_by === null || row.closed_ms === null) return null;
  return {
    by: row.closed_by,
    at: isoTime(row.closed_ms),
    as: asSchema.parse(row.closed_as),
    comment: row.closed_comment ?? '',
  };
}

type Where = ExpressionBuilder<Tables, 'alarm' | 'zone_revision'>;
type Condition = Expression<SqlBool>;

/** The rows that a page or an export asks for. @param nowMs an acknowledgement that ended before does not count */
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
  // These columns are also of an acknowledgement that an earlier alarm brought along.
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

/** Whether the column contains the text. It ignores upper and lower case as far as both databases do. */
function contains(column: string, text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

const ALARMS_TOPIC = 'alarms';

/**
 * Takes numbers for changes, in the order of their commits. The row is locked until the transaction ends: readers of a
 * number see all changes before it.
 * @returns the first number
 */
export async function changeNumbers(query: Transaction<Tables>, count: number): Promise<number> {
  const { number } = await query
    .updateTable('alarm_change')
    .set((each) => ({ number: each('number', '+', count) }))
    .returning('number')
    .executeTakeFirstOrThrow();
  return number - count + 1;
}

/** Notifies all servers, with the transaction. */
export async function publishAlarms(database: Database, query: Query): Promise<void> {
  await database.notify(query, ALARMS_TOPIC);
}

/** Called within a second of a change at any server. @returns unsubscribe */
export function onAlarmsChanged(database: Database, changed: () => void): () => void {
  return database.listen(ALARMS_TOPIC, changed);
}

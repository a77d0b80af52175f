import 'server-only';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import { layerSchema } from '#lib/api/layer-schema.ts';
import { liveRecordSchema } from '#lib/api/live-record.ts';
import { type Alarm, type AlarmNote, alarmNoteSchema, alarmSchema, CLOSED_AS } from '#lib/api/watching/alarms.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { trackSchema } from '#lib/zones/alarm.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';
import { Turns } from '../../work/turns.ts';

export type AlarmRow = Selectable<Tables['alarm']> & { readonly zone_name: string };
type NoteRow = Selectable<Tables['alarm_note']>;

const { kind: kindSchema, state: stateSchema, ended: endSchema } = alarmSchema.shape;
const evidenceSchema = z.array(liveRecordSchema);
const asSchema = z.enum(CLOSED_AS);
const { kind: noteKindSchema } = alarmNoteSchema.shape;
const ENTRIES: readonly string[] = ['first_received_inside', 'crossed_between'];

/** With all answers of operators. @param turns for many rows */
export async function alarmsOf(query: Query, rows: readonly AlarmRow[], turns = new Turns()): Promise<Alarm[]> {
  const answered = rows.filter(({ revision }) => revision > 0).map(({ id }) => id);
  const notes =
    answered.length === 0
      ? []
      : await query.selectFrom('alarm_note').selectAll().where('alarm_id', 'in', answered).orderBy('number').execute();
  const byAlarm = Map.groupBy(notes, ({ alarm_id }) => alarm_id);
  const alarms: Alarm[] = [];
  for (const row of rows) {
    if (turns.isDue) await turns.next();
    alarms.push(toAlarm(row, byAlarm.get(row.id) ?? []));
  }
  return alarms;
}

export function toNote({ kind, operator, at_ms, until_ms, closed_as, comment }: NoteRow): AlarmNote {
  return {
    kind: noteKindSchema.parse(kind),
    by: operator,
    at: text(at_ms),
    until: textOrNull(until_ms),
    as: closed_as === null ? null : asSchema.parse(closed_as),
    comment,
  };
}

function toAlarm(row: AlarmRow, notes: readonly NoteRow[]): Alarm {
  return {
    id: row.id,
    revision: row.revision,
    zone: { id: row.zone_id, name: row.zone_name, revision: row.zone_revision },
    rule: { id: row.rule_id, kind: ENTRIES.includes(row.kind) ? 'entered' : row.kind },
    layer: layerSchema.parse(row.layer),
    track: row.ref,
    other: row.other === null ? null : trackSchema.parse(JSON.parse(row.other)),
    kind: kindSchema.parse(row.kind),
    opened_at: text(row.opened_ms),
    decided_at: text(row.decided_ms),
    state: stateSchema.parse(row.state),
    unknown_since: textOrNull(row.unknown_since_ms),
    ended_at: textOrNull(row.ended_ms),
    ended: endSchema.parse(row.ended),
    count: row.count,
    found_later: row.found_later_ms === null ? null : Math.round(row.found_later_ms / SECOND_MS),
    height_unknown: row.height_unknown === 1,
    simulated: row.simulated === 1,
    test: row.test === 1,
    perhaps_same_as: row.perhaps_same_as,
    expected: row.expected === 1,
    acknowledged: acknowledgedOf(row),
    closed: closedOf(row),
    notes: notes.map(toNote),
    evidence: evidenceSchema.parse(JSON.parse(row.evidence)),
  };
}

function acknowledgedOf(row: AlarmRow): Alarm['acknowledged'] {
  if (row.acknowledged_by === null || row.acknowledged_ms === null) return null;
  return {
    by: row.acknowledged_by,
    at: text(row.acknowledged_ms),
    until: textOrNull(row.acknowledged_until_ms),
    comment: row.acknowledged_comment ?? '',
  };
}

function closedOf(row: AlarmRow): Alarm['closed'] {
  if (row.closed_by === null || row.closed_ms === null) return null;
  return {
    by: row.closed_by,
    at: text(row.closed_ms),
    as: asSchema.parse(row.closed_as),
    comment: row.closed_comment ?? '',
  };
}

function text(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}

function textOrNull(ms: number | null): string | null {
  return ms === null ? null : text(ms);
}

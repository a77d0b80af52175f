// Answers of operators to alarms: acknowledgements, closings and permits. Each is a note that is added to the alarm, and
// never changes what the evaluation decided.
import 'server-only';
import { sql, type Transaction } from 'kysely';
import type { z } from 'zod/mini';
import { ApiError } from '#lib/api/error-code.ts';
import type { Alarm, acknowledgeSchema, closeSchema } from '#lib/api/watching/alarms.ts';
import { recentTimeText } from '#lib/model/clock-text.ts';
import { epochMs, instantOf, upstreamInstant } from '#lib/time/instant.ts';
import { noteText } from '#lib/zones/alarm-words.ts';
import type { Database } from '../../database/database.ts';
import { chargeStored } from '../../database/stored-bytes.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { ownerKey } from '../../views/owner.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { alarmsOf, changeNumbers, publishAlarms, type StoredAlarm, seenAlarms, toNote } from './alarm-row.ts';

/** With comments of 1000 characters, 300 kB at most. No alarm of a shift needs more. */
const NOTES_MAX = 100;

/** The result of an answer to one alarm: the alarm with it, or why nothing of it was stored. */
export interface Answered {
  readonly id: string;
  readonly alarm: Alarm | undefined;
  readonly refusal: ApiError | undefined;
}

/** An answer of an operator: the note that is added to an alarm, and the columns that show the latest one. */
export interface OperatorAnswer {
  readonly note: Omit<Tables['alarm_note'], 'alarm_id' | 'number' | 'at_ms'>;
  readonly columns: (atMs: number) => Partial<Tables['alarm']>;
  /** Whether an alarm that is acknowledged already keeps its columns. */
  readonly keepsAcknowledgement?: boolean;
}

/** An alarm, at the revision that the operator read. */
export interface AskedAlarm {
  readonly id: string;
  readonly revision: number;
}

function isAcknowledged({ acknowledged_by }: StoredAlarm): boolean {
  return acknowledged_by !== null;
}

export function acknowledgementOf(
  { actor }: ZoneCaller,
  how: Pick<z.infer<typeof acknowledgeSchema>, 'until' | 'comment'>,
): OperatorAnswer {
  const untilMs = how.until === null ? null : epochMs(instantOf(how.until));
  return {
    note: { kind: 'acknowledged', operator: actor, until_ms: untilMs, closed_as: null, comment: how.comment },
    columns: (atMs) => acknowledgedColumns(actor, atMs, untilMs, how.comment),
  };
}

/**
 * A permit was made for the alarms. The evaluation decides whether it covers an open alarm. An ended alarm has no further
 * evaluation, and is acknowledged by the note until it returns.
 */
export function permitNoteOf(
  { actor }: ZoneCaller,
  { name, endMs }: { readonly name: string; readonly endMs: number },
): OperatorAnswer {
  return {
    note: { kind: 'permitted', operator: actor, until_ms: endMs, closed_as: null, comment: name },
    columns: (atMs) => acknowledgedColumns(actor, atMs, atMs, name),
    keepsAcknowledgement: true,
  };
}

function acknowledgedColumns(by: string, atMs: number, untilMs: number | null, comment: string) {
  return {
    acknowledged_by: by,
    acknowledged_ms: atMs,
    acknowledged_until_ms: untilMs,
    acknowledged_comment: comment,
  };
}

export function closingOf(
  { actor }: ZoneCaller,
  { as, comment }: Pick<z.infer<typeof closeSchema>, 'as' | 'comment'>,
): OperatorAnswer {
  return {
    note: { kind: 'closed', operator: actor, until_ms: null, closed_as: as, comment },
    columns: (atMs) => ({ closed_by: actor, closed_ms: atMs, closed_as: as, closed_comment: comment }),
  };
}

/** @throws ApiError if the answer to the only alarm was refused */
export function onlyOne([answered]: readonly Answered[]): Alarm {
  if (answered?.alarm) return answered.alarm;
  const { refusal } = answered ?? {};
  if (refusal?.code !== 'revision_conflict') throw refusal ?? new Error('an answer to one alarm has one result');
  throw new ApiError(refusal.code, `${refusal.message} Nothing of yours was stored: read the alarm again.`);
}

/**
 * Stores an answer at each alarm of which its operator saw all answers before it. Call `Alarms.changed` after the
 * transaction.
 * @returns a result for each alarm, in their order
 */
export async function storeAnswers(
  database: Database,
  query: Transaction<Tables>,
  caller: ZoneCaller,
  asked: readonly AskedAlarm[],
  answer: OperatorAnswer,
  atMs: number,
): Promise<readonly Answered[]> {
  const ids = asked.map(({ id }) => id);
  if (ids.length === 0) return [];
  const seen = await seenAlarms(query, caller).where('alarm.id', 'in', ids).execute();
  const byId = new Map<string, StoredAlarm>(seen.map((row) => [row.id, row]));
  const refusals = new Map<string, ApiError>();
  for (const { id, revision } of asked) {
    const refusal = await refusalOf(query, byId.get(id), revision, atMs);
    if (refusal) refusals.set(id, refusal);
  }
  const accepted = ids.flatMap((id) => (refusals.has(id) ? [] : (byId.get(id) ?? [])));
  const stored: Alarm[] = [];
  const [kept, changed] = answer.keepsAcknowledgement
    ? [accepted.filter(isAcknowledged), accepted.filter((row) => !isAcknowledged(row))]
    : [[], accepted];
  if (changed.length > 0) stored.push(...(await storeAt(database, query, caller, changed, answer, atMs)));
  if (kept.length > 0)
    stored.push(...(await storeAt(database, query, caller, kept, { ...answer, columns: () => ({}) }, atMs)));
  const alarms = new Map(stored.map((alarm) => [alarm.id, alarm]));
  return ids.map((id) => ({ id, alarm: alarms.get(id), refusal: refusals.get(id) }));
}

async function storeAt(
  database: Database,
  query: Transaction<Tables>,
  caller: ZoneCaller,
  accepted: readonly StoredAlarm[],
  { note, columns }: OperatorAnswer,
  atMs: number,
): Promise<readonly Alarm[]> {
  const comments = accepted.map(() => note.comment);
  await chargeStored(query, ownerKey(caller.owner), 'answers to alarms', comments, atMs, accepted.length);
  const firstChange = await changeNumbers(query, accepted.length);
  const changed = { ...columns(atMs), changed_ms: atMs };
  const rows = accepted.map((row, index) => ({
    ...row,
    ...changed,
    revision: row.revision + 1,
    change: firstChange + index,
  }));
  const notes = rows.map(({ id, revision }) => ({ ...note, alarm_id: id, number: revision, at_ms: atMs }));
  await query.insertInto('alarm_note').values(notes).execute();
  await updateAnswered(query, rows, changed);
  await publishAlarms(database, query);
  return alarmsOf(query, rows);
}

/** Each alarm has its own number of the change. Both databases name the columns of `values` column1, column2. */
async function updateAnswered(
  query: Transaction<Tables>,
  rows: readonly StoredAlarm[],
  columns: Partial<Tables['alarm']>,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await query
    .updateTable('alarm')
    .set(columns)
    .set((each) => ({ revision: each('revision', '+', 1) }))
    .where('id', 'in', ids)
    .execute();
  const numbers = rows.map(({ id, change }) => sql`(${id}, cast(${change} as bigint))`);
  await sql`
    update alarm set change = news.column2 from (values ${sql.join(numbers)}) as news where alarm.id = news.column1
  `.execute(query);
}

/** @param alarm `undefined` if the caller sees no such alarm */
async function refusalOf(
  query: Query,
  alarm: StoredAlarm | undefined,
  revision: number,
  atMs: number,
): Promise<ApiError | undefined> {
  if (!alarm) return new ApiError('not_found', 'There is no such alarm.');
  if (alarm.revision !== revision) return answeredBefore(query, alarm, revision, atMs);
  if (revision >= NOTES_MAX)
    return new ApiError('not_possible', `An alarm has at most ${NOTES_MAX} answers of operators.`);
  return undefined;
}

/** Says what other operators answered meanwhile. */
async function answeredBefore(
  query: Query,
  alarm: { readonly id: string; readonly revision: number },
  revision: number,
  nowMs: number,
): Promise<ApiError> {
  const rows = await query
    .selectFrom('alarm_note')
    .selectAll()
    .where('alarm_id', '=', alarm.id)
    .where('number', '>', revision)
    .orderBy('number')
    .execute();
  const answers = rows.map(
    (row) =>
      `${noteText(toNote(row), (text) => recentTimeText(instantOf(text ?? ''), upstreamInstant(nowMs), 'utc'))}.`,
  );
  const said = answers.length === 0 ? [`The alarm is at revision ${alarm.revision}.`] : answers;
  return new ApiError('revision_conflict', said.join(' '));
}

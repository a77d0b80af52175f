import 'server-only';
import { sql, type Transaction } from 'kysely';
import type { z } from 'zod/mini';
import { ApiError, isApiError } from '#lib/api/error-code.ts';
import {
  ALARMS_MAX,
  type Alarm,
  type AlarmFilter,
  type AlarmsAnswer,
  type AlarmsQuery,
  type acknowledgeAllSchema,
  type acknowledgeSchema,
  type closeAllSchema,
  type closeSchema,
} from '#lib/api/watching/alarms.ts';
import { recentTimeText } from '#lib/model/clock-text.ts';
import { epochMs, instantOf, parseInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { noteText } from '#lib/zones/alarm-words.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import { chargeStored } from '../../database/stored-bytes.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { withinMs } from '../../machine.ts';
import { type Owner, ownerKey } from '../../views/owner.ts';
import type { RunPiece } from '../../work/work.ts';
import { Yielding } from '../../work/yielding.ts';
import { isSeenBy, type ZoneCaller } from '../zone-rows.ts';
import {
  alarmFilter,
  alarmsOf,
  changeNumbers,
  onAlarmsChanged,
  publishAlarms,
  type StoredAlarm,
  toNote,
} from './alarm-row.ts';

/** Different filters with which one operator’s pages may wait. A page of Lookout waits with one, without a filter. */
const WAITS_MAX = 16;
/** With comments of 1000 characters, 300 kB at most. No alarm of a shift needs more. */
const NOTES_MAX = 100;

interface ReadingOptions {
  readonly runPiece?: RunPiece;
  readonly signal?: AbortSignal;
}

/**
 * Alarms as operators read and answer them. A page waits here for the next change, at any server. An answer, which is an
 * acknowledgement or a closing, is one transaction, also for several alarms. It is stored only for alarms of which its
 * operator saw all answers before it. It is added to them, and never changes what the evaluation decided. Methods throw
 * `ApiError` where the database fails.
 */
export class Alarms {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #waiting = new Set<() => void>();
  readonly #running = new Map<string, Promise<AlarmsAnswer>>();
  /** How many pages of each operator wait with each filter. */
  readonly #waits = new Map<Owner, Map<string, number>>();
  readonly #endListening: () => void;
  #isClosed = false;

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
    this.#endListening = onAlarmsChanged(database, () => this.changed());
  }

  /** Pages that wait for a change. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Call it after this server changed an alarm. */
  changed(): void {
    // Reads under way may have begun before the change: later callers must not share them.
    this.#running.clear();
    for (const wake of this.#waiting) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#endListening();
    this.changed();
  }

  /**
   * @param runPiece for each reading of the database, but not for the wait between them
   * @throws ApiError also for more than `WAITS_MAX` different waits of the caller
   */
  async list(
    caller: ZoneCaller,
    { wait = 0, ...query }: AlarmsQuery,
    { runPiece = (read) => read(), signal }: ReadingOptions = {},
  ): Promise<AlarmsAnswer> {
    if (wait === 0) return runPiece(() => this.#list(caller, query, signal));
    const leave = this.#enterWait(caller, query);
    try {
      return await this.#await(caller, query, performance.now() + wait, runPiece, signal);
    } finally {
      leave();
    }
  }

  async #await(
    caller: ZoneCaller,
    query: Omit<AlarmsQuery, 'wait'>,
    untilMs: number,
    runPiece: RunPiece,
    signal: AbortSignal | undefined,
  ): Promise<AlarmsAnswer> {
    let asked = query;
    for (;;) {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      // The page waits before the query, so that no change is missed.
      this.#waiting.add(wake);
      try {
        const answer = await this.#shared(caller, asked, runPiece);
        signal?.throwIfAborted();
        const leftMs = untilMs - performance.now();
        if (answer.alarms.length > 0 || leftMs <= 0 || this.#isClosed) return answer;
        // Nothing matches up to `next`: pages that began at different changes wait for the same.
        const since = sinceOf(asked.since);
        if ('change' in since && since.change < Number(answer.next)) asked = { ...asked, since: answer.next };
        await withinMs(promise, leftMs, signal);
      } finally {
        this.#waiting.delete(wake);
      }
    }
  }

  /** One query for all waiting pages of a caller with the same filter; a change begins another one. */
  #shared(caller: ZoneCaller, query: Omit<AlarmsQuery, 'wait'>, runPiece: RunPiece): Promise<AlarmsAnswer> {
    const key = JSON.stringify([caller.owner, caller.isAdmin, query]);
    const running = this.#running.get(key);
    // The page that reads may leave before its turn.
    if (running)
      return running.catch((error: unknown) => {
        if (isApiError(error) || error instanceof DatabaseFailure) throw error;
        return this.#shared(caller, query, runPiece);
      });
    const answer = runPiece(() => this.#list(caller, query)).finally(() => {
      if (this.#running.get(key) === answer) this.#running.delete(key);
    });
    this.#running.set(key, answer);
    return answer;
  }

  #enterWait({ owner }: ZoneCaller, { since, ...filter }: Omit<AlarmsQuery, 'wait'>): () => void {
    const waits = this.#waits.get(owner) ?? new Map<string, number>();
    this.#waits.set(owner, waits);
    // A `since` that is a time stays as it is.
    const key = JSON.stringify([filter, 'at' in sinceOf(since) ? since : null]);
    if (!waits.has(key) && waits.size >= WAITS_MAX)
      throw new ApiError(
        'too_many_requests',
        `Your pages wait for alarms with ${WAITS_MAX} different filters: end one of them first.`,
        1,
      );
    waits.set(key, (waits.get(key) ?? 0) + 1);
    return () => {
      const left = (waits.get(key) ?? 1) - 1;
      if (left > 0) waits.set(key, left);
      else waits.delete(key);
      if (waits.size === 0) this.#waits.delete(owner);
    };
  }

  /**
   * A page of alarms in order of opening. It searches in pieces, between which others have their turn.
   * @param after the last alarm of the previous page
   */
  async page(caller: ZoneCaller, filter: AlarmFilter, after?: PlaceInLog, signal?: AbortSignal): Promise<LogPage> {
    const { query } = this.#database;
    const yielding = new Yielding(signal);
    const found: StoredAlarm[] = [];
    let from = after;
    for (;;) {
      const to = await endOfPiece(query, filter, from).executeTakeFirst();
      const rows = await seenAlarms(query, caller)
        .where((where) => alarmFilter(where, filter, epochMs(this.#now())))
        .$if(from !== undefined, (its) => its.where(placeInLog('>', from as PlaceInLog)))
        .$if(to !== undefined, (its) => its.where(placeInLog('<=', to as PlaceInLog)))
        .orderBy('alarm.opened_ms')
        .orderBy('alarm.id')
        .limit(ALARMS_MAX - found.length)
        .execute();
      found.push(...rows);
      await yielding.next();
      const last = found.length === ALARMS_MAX ? rows.at(-1) : undefined;
      if (last || !to)
        return {
          alarms: await alarmsOf(query, found, yielding),
          next: last && { openedMs: last.opened_ms, id: last.id },
        };
      from = to;
    }
  }

  /** One alarm; `undefined` if the caller sees no such one. */
  async one(caller: ZoneCaller, id: string): Promise<Alarm | undefined> {
    const seen = seenAlarms(this.#database.query, caller);
    const rows = await seen.where('alarm.id', '=', id).execute();
    return (await alarmsOf(this.#database.query, rows))[0];
  }

  /** @throws ApiError if the caller sees no such alarm, or if another answer came first */
  async acknowledge(
    caller: ZoneCaller,
    id: string,
    { revision, ...how }: z.infer<typeof acknowledgeSchema>,
  ): Promise<Alarm> {
    return onlyOne(await this.#answer(caller, [{ id, revision }], acknowledgementOf(caller, how)));
  }

  /**
   * Acknowledges several alarms in one transaction: where it fails, none is acknowledged. An alarm that another operator
   * answered meanwhile is no failure, and does not keep the others from being acknowledged.
   * @returns a result for each alarm, in their order
   */
  acknowledgeAll(
    caller: ZoneCaller,
    { alarms, ...how }: z.infer<typeof acknowledgeAllSchema>,
  ): Promise<readonly Answered[]> {
    return this.#answer(caller, alarms, acknowledgementOf(caller, how));
  }

  /** @throws ApiError as `acknowledge` */
  async finish(caller: ZoneCaller, id: string, { revision, ...how }: z.infer<typeof closeSchema>): Promise<Alarm> {
    return onlyOne(await this.#answer(caller, [{ id, revision }], closingOf(caller, how)));
  }

  /** Closes several alarms in one transaction, as `acknowledgeAll` acknowledges them. */
  finishAll(caller: ZoneCaller, { alarms, ...how }: z.infer<typeof closeAllSchema>): Promise<readonly Answered[]> {
    return this.#answer(caller, alarms, closingOf(caller, how));
  }

  /** Lists alarms in order of change. It searches in pieces, between which others have their turn. */
  async #list(caller: ZoneCaller, query: Omit<AlarmsQuery, 'wait'>, signal?: AbortSignal): Promise<AlarmsAnswer> {
    const { query: run } = this.#database;
    const since = sinceOf(query.since);
    // The number is read first: everything up to it is committed.
    const { number } = await run.selectFrom('alarm_change').select('number').executeTakeFirstOrThrow();
    if ('change' in since && since.change >= number) return { alarms: [], next: String(number) };
    const yielding = new Yielding(signal);
    const found: StoredAlarm[] = [];
    let from = 'change' in since ? since.change : 0;
    for (;;) {
      const to = await endOfChanges(run, from, number).executeTakeFirst();
      const rows = await seenAlarms(run, caller)
        .where((where) => alarmFilter(where, query, epochMs(this.#now())))
        .$if('at' in since, (its) =>
          its.where('alarm.changed_ms', '>=', epochMs((since as { at: UpstreamInstant }).at)),
        )
        .where('alarm.change', '>', from)
        .where('alarm.change', '<=', to?.change ?? number)
        .orderBy('alarm.change')
        .limit(ALARMS_MAX - found.length)
        .execute();
      found.push(...rows);
      const last = found.length === ALARMS_MAX ? rows.at(-1)?.change : undefined;
      if (last !== undefined || !to)
        return { alarms: await alarmsOf(run, found, yielding), next: String(last ?? number) };
      from = to.change;
      await yielding.next();
    }
  }

  /**
   * Notes at alarms that a permit was made for them, in the transaction of the permit. The evaluation decides whether it
   * covers an open alarm. An ended alarm has no further evaluation, and is acknowledged by the note until it returns.
   * Call `changed` after the transaction.
   * @param asked alarms, at the revisions that the operator read
   */
  async notePermit(
    query: Transaction<Tables>,
    caller: ZoneCaller,
    asked: readonly AskedAlarm[],
    { name, endMs }: { readonly name: string; readonly endMs: number },
  ): Promise<readonly Answered[]> {
    return this.#answerIn(query, caller, asked, {
      note: { kind: 'permitted', operator: caller.actor, until_ms: endMs, closed_as: null, comment: name },
      columns: (atMs) => ({
        acknowledged_by: caller.actor,
        acknowledged_ms: atMs,
        acknowledged_until_ms: atMs,
        acknowledged_comment: name,
      }),
      keepsAcknowledgement: true,
    });
  }

  async #answer(
    caller: ZoneCaller,
    asked: readonly AskedAlarm[],
    answer: OperatorAnswer,
  ): Promise<readonly Answered[]> {
    const answered = await this.#database.change((query) => this.#answerIn(query, caller, asked, answer));
    if (answered.some(({ alarm }) => alarm)) this.changed();
    return answered;
  }

  async #answerIn(
    query: Transaction<Tables>,
    caller: ZoneCaller,
    asked: readonly AskedAlarm[],
    answer: OperatorAnswer,
  ): Promise<readonly Answered[]> {
    const atMs = Math.floor(epochMs(this.#now()));
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
    if (changed.length > 0) stored.push(...(await this.#store(query, caller, changed, answer, atMs)));
    if (kept.length > 0)
      stored.push(...(await this.#store(query, caller, kept, { ...answer, columns: () => ({}) }, atMs)));
    const alarms = new Map(stored.map((alarm) => [alarm.id, alarm]));
    return ids.map((id) => ({ id, alarm: alarms.get(id), refusal: refusals.get(id) }));
  }

  async #store(
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
    await publishAlarms(this.#database, query);
    return alarmsOf(query, rows);
  }
}

/** The result of an answer to one alarm: the alarm with it, or why nothing of it was stored. */
export interface Answered {
  readonly id: string;
  readonly alarm: Alarm | undefined;
  readonly refusal: ApiError | undefined;
}

/** An answer of an operator: the note that is added to an alarm, and the columns that show the latest one. */
interface OperatorAnswer {
  readonly note: Omit<Tables['alarm_note'], 'alarm_id' | 'number' | 'at_ms'>;
  readonly columns: (atMs: number) => Partial<Tables['alarm']>;
  /** Whether an alarm that is acknowledged already keeps its columns. */
  readonly keepsAcknowledgement?: boolean;
}

/** An alarm, at the revision that the operator read. */
interface AskedAlarm {
  readonly id: string;
  readonly revision: number;
}

function isAcknowledged({ acknowledged_by }: StoredAlarm): boolean {
  return acknowledged_by !== null;
}

function acknowledgementOf(
  { actor }: ZoneCaller,
  how: Pick<z.infer<typeof acknowledgeSchema>, 'until' | 'comment'>,
): OperatorAnswer {
  const { comment } = how;
  const until = how.until === null ? null : epochMs(instantOf(how.until));
  return {
    note: { kind: 'acknowledged', operator: actor, until_ms: until, closed_as: null, comment },
    columns: (atMs) => ({
      acknowledged_by: actor,
      acknowledged_ms: atMs,
      acknowledged_until_ms: until,
      acknowledged_comment: comment,
    }),
  };
}

function closingOf(
  { actor }: ZoneCaller,
  { as, comment }: Pick<z.infer<typeof closeSchema>, 'as' | 'comment'>,
): OperatorAnswer {
  return {
    note: { kind: 'closed', operator: actor, until_ms: null, closed_as: as, comment },
    columns: (atMs) => ({ closed_by: actor, closed_ms: atMs, closed_as: as, closed_comment: comment }),
  };
}

/** @throws ApiError if the answer to the only alarm was refused */
function onlyOne([answered]: readonly Answered[]): Alarm {
  if (answered?.alarm) return answered.alarm;
  const { refusal } = answered ?? {};
  if (refusal?.code !== 'revision_conflict') throw refusal ?? new Error('an answer to one alarm has one result');
  throw new ApiError(refusal.code, `${refusal.message} Nothing of yours was stored: read the alarm again.`);
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

export function seenAlarms(query: Query, caller: ZoneCaller) {
  return query
    .selectFrom('alarm')
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'alarm.zone_id')
    .where(isSeenBy(caller, 'alarm.zone_id'))
    .selectAll('alarm')
    .select('zone_revision.name as zone_name');
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

/** Equal times are in order of id. */
export interface PlaceInLog {
  readonly openedMs: number;
  readonly id: string;
}

interface LogPage {
  readonly alarms: readonly Alarm[];
  /** `undefined` after the last page. */
  readonly next: PlaceInLog | undefined;
}

/** Rows of the log that are searched at once: about 10 ms of SQLite, which blocks. */
const SEARCHED_ROWS = 2000;

/** The last row of the next piece of the log; `undefined` where the rest is less. Reads the index alone. */
export function endOfPiece(query: Query, { zone, start, end }: AlarmFilter, after: PlaceInLog | undefined) {
  return query
    .selectFrom('alarm')
    .select(['alarm.opened_ms as openedMs', 'alarm.id'])
    .$if(zone !== undefined, (its) => its.where('alarm.zone_id', '=', zone as string))
    .$if(start !== undefined, (its) => its.where('alarm.opened_ms', '>=', epochMs(start as UpstreamInstant)))
    .$if(end !== undefined, (its) => its.where('alarm.opened_ms', '<', epochMs(end as UpstreamInstant)))
    .$if(after !== undefined, (its) => its.where(placeInLog('>', after as PlaceInLog)))
    .orderBy('alarm.opened_ms')
    .orderBy('alarm.id')
    .limit(1)
    .offset(SEARCHED_ROWS - 1);
}

/** The place is compared as a row, so that both databases look it up in the index. */
function placeInLog(how: '>' | '<=', { openedMs, id }: PlaceInLog) {
  return sql<boolean>`(alarm.opened_ms, alarm.id) ${sql.raw(how)} (${openedMs}, ${id})`;
}

function endOfChanges(query: Query, from: number, to: number) {
  return query
    .selectFrom('alarm')
    .select('change')
    .where('change', '>', from)
    .where('change', '<=', to)
    .orderBy('change')
    .limit(1)
    .offset(SEARCHED_ROWS - 1);
}

type Since = { readonly change: number } | { readonly at: UpstreamInstant };

function sinceOf(text: string | undefined): Since {
  if (text === undefined) return { change: 0 };
  if (/^\d{1,15}$/.test(text)) return { change: Number(text) };
  const at = parseInstant(text);
  if (at === undefined)
    throw new ApiError('bad_query', 'since must be the next of an earlier answer, or an RFC 3339 timestamp.');
  return { at };
}

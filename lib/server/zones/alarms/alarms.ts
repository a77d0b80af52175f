import 'server-only';
import { sql } from 'kysely';
import type { z } from 'zod/mini';
import { ApiError, isApiError } from '#lib/api/error-code.ts';
import {
  ALARMS_MAX,
  type Alarm,
  type AlarmFilter,
  type AlarmsAnswer,
  type AlarmsQuery,
  type acknowledgeSchema,
  type closeSchema,
} from '#lib/api/watching/alarms.ts';
import { clockText, dateText, dateTimeText } from '#lib/model/clock-text.ts';
import { epochMs, instantOf, parseInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { noteText } from '#lib/zones/alarm-words.ts';
import type { Database } from '../../database/database.ts';
import { orRefuse } from '../../database/database-failure.ts';
import { chargeStored } from '../../database/stored-bytes.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { withinMs } from '../../machine.ts';
import { type Owner, ownerKey } from '../../views/owner.ts';
import { Turns } from '../../work/turns.ts';
import type { TakesTurn } from '../../work/work.ts';
import { isLatestRevision, isSeenBy, type ZoneCaller } from '../zone-rows.ts';
import {
  type AlarmRow,
  alarmFilter,
  alarmsOf,
  changeNumbers,
  onAlarmsChanged,
  publishAlarms,
  toNote,
} from './alarm-row.ts';

/** Different filters with which one operator’s pages may wait. A page of Lookout waits with one, without a filter. */
const WAITS_MAX = 16;
/** With comments of 1000 characters, 300 kB at most. No alarm of a shift needs more. */
const NOTES_MAX = 100;

interface ReadingOptions {
  readonly turn?: TakesTurn;
  readonly signal?: AbortSignal;
}

/**
 * Alarms as operators read and answer them. A page waits here for the next change, at any server. An answer, which is an
 * acknowledgement or a closing, is one transaction. It is stored only if its operator saw all answers before it. It is
 * added to them, and never changes what the evaluation decided. Methods throw `ApiError` where the database fails.
 */
export class Alarms {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #waiting = new Set<() => void>();
  readonly #running = new Map<string, Promise<AlarmsAnswer>>();
  /** By operator: how many pages wait with each filter. */
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

  /** After this server changed an alarm. */
  changed(): void {
    // They may have begun before it.
    this.#running.clear();
    for (const wake of this.#waiting) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#endListening();
    this.changed();
  }

  /**
   * @param turn for each reading of the database, but not for the wait between them
   * @throws ApiError also for more than `WAITS_MAX` different waits of the caller
   */
  async list(
    caller: ZoneCaller,
    { wait = 0, ...query }: AlarmsQuery,
    { turn = (read) => read(), signal }: ReadingOptions = {},
  ): Promise<AlarmsAnswer> {
    if (wait === 0) return turn(() => this.#list(caller, query, signal));
    const leave = this.#enterWait(caller, query);
    try {
      return await this.#await(caller, query, performance.now() + wait, turn, signal);
    } finally {
      leave();
    }
  }

  async #await(
    caller: ZoneCaller,
    query: Omit<AlarmsQuery, 'wait'>,
    untilMs: number,
    turn: TakesTurn,
    signal: AbortSignal | undefined,
  ): Promise<AlarmsAnswer> {
    let asked = query;
    for (;;) {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      // Before the query, so that no change is missed.
      this.#waiting.add(wake);
      try {
        const answer = await this.#shared(caller, asked, turn);
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
  #shared(caller: ZoneCaller, query: Omit<AlarmsQuery, 'wait'>, turn: TakesTurn): Promise<AlarmsAnswer> {
    const key = JSON.stringify([caller.owner, caller.isAdmin, query]);
    const running = this.#running.get(key);
    // The page that reads may leave before its turn.
    if (running)
      return running.catch((error: unknown) => {
        if (isApiError(error)) throw error;
        return this.#shared(caller, query, turn);
      });
    const answer = turn(() => this.#list(caller, query)).finally(() => {
      if (this.#running.get(key) === answer) this.#running.delete(key);
    });
    this.#running.set(key, answer);
    return answer;
  }

  #enterWait({ owner }: ZoneCaller, { since, ...filter }: Omit<AlarmsQuery, 'wait'>): () => void {
    const waits = this.#waits.get(owner) ?? new Map<string, number>();
    this.#waits.set(owner, waits);
    // A time stays as it is.
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
   * In order of opening. Searches in pieces, between which others have their turn.
   * @param after the last alarm of the previous page
   */
  async page(caller: ZoneCaller, filter: AlarmFilter, after?: PlaceInLog, signal?: AbortSignal): Promise<LogPage> {
    const { query } = this.#database;
    const turns = new Turns(signal);
    const found: AlarmRow[] = [];
    let from = after;
    for (;;) {
      const to = await orRefuse(endOfPiece(query, filter, from).executeTakeFirst());
      const rows = await orRefuse(
        seenAlarms(query, caller)
          .where((where) => alarmFilter(where, filter, epochMs(this.#now())))
          .$if(from !== undefined, (its) => its.where(placeInLog('>', from as PlaceInLog)))
          .$if(to !== undefined, (its) => its.where(placeInLog('<=', to as PlaceInLog)))
          .orderBy('alarm.opened_ms')
          .orderBy('alarm.id')
          .limit(ALARMS_MAX - found.length)
          .execute(),
      );
      found.push(...rows);
      await turns.next();
      const last = found.length === ALARMS_MAX ? rows.at(-1) : undefined;
      if (last || !to)
        return {
          alarms: await orRefuse(alarmsOf(query, found, turns)),
          next: last && { openedMs: last.opened_ms, id: last.id },
        };
      from = to;
    }
  }

  /** `undefined` if the caller sees no such alarm. */
  async one(caller: ZoneCaller, id: string): Promise<Alarm | undefined> {
    const seen = seenAlarms(this.#database.query, caller);
    const rows = await orRefuse(seen.where('alarm.id', '=', id).execute());
    return (await orRefuse(alarmsOf(this.#database.query, rows)))[0];
  }

  /** @throws ApiError if the caller sees no such alarm, or if another answer came first */
  acknowledge(caller: ZoneCaller, id: string, body: z.infer<typeof acknowledgeSchema>): Promise<Alarm> {
    const { revision, comment } = body;
    const until = body.until === null ? null : epochMs(instantOf(body.until));
    const note = { kind: 'acknowledged', operator: caller.actor, until_ms: until, closed_as: null, comment };
    return this.#answer(caller, id, revision, note, (atMs) => ({
      acknowledged_by: caller.actor,
      acknowledged_ms: atMs,
      acknowledged_until_ms: until,
      acknowledged_comment: comment,
    }));
  }

  /** @throws ApiError as `acknowledge` */
  finish(caller: ZoneCaller, id: string, body: z.infer<typeof closeSchema>): Promise<Alarm> {
    const { revision, as, comment } = body;
    const note = { kind: 'closed', operator: caller.actor, until_ms: null, closed_as: as, comment };
    return this.#answer(caller, id, revision, note, (atMs) => ({
      closed_by: caller.actor,
      closed_ms: atMs,
      closed_as: as,
      closed_comment: comment,
    }));
  }

  /** In order of change. Searches in pieces, between which others have their turn. */
  async #list(caller: ZoneCaller, query: Omit<AlarmsQuery, 'wait'>, signal?: AbortSignal): Promise<AlarmsAnswer> {
    const { query: run } = this.#database;
    const since = sinceOf(query.since);
    // First: everything up to it is committed.
    const { number } = await orRefuse(run.selectFrom('alarm_change').select('number').executeTakeFirstOrThrow());
    if ('change' in since && since.change >= number) return { alarms: [], next: String(number) };
    const turns = new Turns(signal);
    const found: AlarmRow[] = [];
    let from = 'change' in since ? since.change : 0;
    for (;;) {
      const to = await orRefuse(endOfChanges(run, from, number).executeTakeFirst());
      const rows = await orRefuse(
        seenAlarms(run, caller)
          .where((where) => alarmFilter(where, query, epochMs(this.#now())))
          .$if('at' in since, (its) =>
            its.where('alarm.changed_ms', '>=', epochMs((since as { at: UpstreamInstant }).at)),
          )
          .where('alarm.change', '>', from)
          .where('alarm.change', '<=', to?.change ?? number)
          .orderBy('alarm.change')
          .limit(ALARMS_MAX - found.length)
          .execute(),
      );
      found.push(...rows);
      const last = found.length === ALARMS_MAX ? rows.at(-1)?.change : undefined;
      if (last !== undefined || !to)
        return { alarms: await orRefuse(alarmsOf(run, found, turns)), next: String(last ?? number) };
      from = to.change;
      await turns.next();
    }
  }

  async #answer(
    caller: ZoneCaller,
    id: string,
    revision: number,
    note: Omit<Tables['alarm_note'], 'alarm_id' | 'number' | 'at_ms'>,
    change: (atMs: number) => Partial<Tables['alarm']>,
  ): Promise<Alarm> {
    const atMs = Math.floor(epochMs(this.#now()));
    const alarm = await orRefuse(
      this.#database.change(async (query) => {
        const seen = await seenAlarms(query, caller).where('alarm.id', '=', id).executeTakeFirst();
        if (!seen) throw new ApiError('not_found', 'There is no such alarm.');
        if (seen.revision !== revision) throw await answeredBefore(query, seen, revision, atMs);
        if (revision >= NOTES_MAX)
          throw new ApiError('not_possible', `An alarm has at most ${NOTES_MAX} answers of operators.`);
        await chargeStored(query, ownerKey(caller.owner), 'answers to alarms', [note.comment], atMs);
        const numbers = { revision: revision + 1, changed_ms: atMs, change: await changeNumbers(query, 1) };
        const changed = { ...change(atMs), ...numbers };
        await query
          .insertInto('alarm_note')
          .values({ ...note, alarm_id: id, number: revision + 1, at_ms: atMs })
          .execute();
        await query.updateTable('alarm').set(changed).where('id', '=', id).execute();
        await publishAlarms(this.#database, query);
        const [alarm] = await alarmsOf(query, [{ ...seen, ...changed }]);
        return alarm as Alarm;
      }),
    );
    this.changed();
    return alarm;
  }
}

export function seenAlarms(query: Query, caller: ZoneCaller) {
  return query
    .selectFrom('alarm')
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'alarm.zone_id')
    .where(isLatestRevision('alarm.zone_id'))
    .where(isSeenBy(caller))
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
  const answers = rows.map((row) => `${noteText(toNote(row), timeOn(upstreamInstant(nowMs)))}.`);
  const said = answers.length === 0 ? [`The alarm is at revision ${alarm.revision}.`] : answers;
  return new ApiError('revision_conflict', `${said.join(' ')} Nothing of yours was stored: read the alarm again.`);
}

/** `12:04:31Z`, with the date on another day. */
function timeOn(now: UpstreamInstant): (text: string | null) => string {
  return (text) => {
    const at = instantOf(text ?? '');
    return dateText(at, 'utc') === dateText(now, 'utc') ? clockText(at, 'utc') : dateTimeText(at, 'utc');
  };
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

/** Compared as a row: so both databases look it up in the index. */
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

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
  type acknowledgeAllSchema,
  type acknowledgeSchema,
  type closeAllSchema,
  type closeSchema,
} from '#lib/api/watching/alarms.ts';
import { epochMs, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { Query } from '../../database/tables.ts';
import { withinMs } from '../../machine.ts';
import type { Owner } from '../../views/owner.ts';
import type { RunPiece } from '../../work/work.ts';
import { Yielding } from '../../work/yielding.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { alarmFilter, alarmsOf, onAlarmsChanged, type StoredAlarm, seenAlarms } from './alarm-row.ts';
import {
  type Answered,
  type AskedAlarm,
  acknowledgementOf,
  closingOf,
  type OperatorAnswer,
  onlyOne,
  storeAnswers,
} from './operator-answers.ts';

/** Different filters with which one operator’s pages may wait. A page of Lookout waits with one, without a filter. */
const WAITS_MAX = 16;

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

  async #answer(
    caller: ZoneCaller,
    asked: readonly AskedAlarm[],
    answer: OperatorAnswer,
  ): Promise<readonly Answered[]> {
    const answered = await this.#database.change((query) => {
      const atMs = Math.floor(epochMs(this.#now()));
      return storeAnswers(this.#database, query, caller, asked, answer, atMs);
    });
    if (answered.some(({ alarm }) => alarm)) this.changed();
    return answered;
  }
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

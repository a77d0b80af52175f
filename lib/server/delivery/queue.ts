import 'server-only';
import type { Selectable, Transaction } from 'kysely';
import type { Logger } from 'pino';
import * as z from 'zod/mini';
import { deliverySchema } from '#lib/api/outputs/destinations.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { type BackOff, backOffMs, fullJitterMs, halfJitterMs } from '#lib/async/back-off.ts';
import { unlessAborted } from '#lib/async/wait.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { alarmLink, type Notice } from '#lib/outputs/notice.ts';
import { receiverChangeSchema } from '#lib/outputs/receiver-change.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type AlarmPlace, alarmPlace, raisedAt } from '#lib/zones/alarm-place.ts';
import { shapeCentre } from '#lib/zones/shape-box.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import { requireLease, type WriterLease } from '../database/writer-lease.ts';
import { deadline, withinMs } from '../machine.ts';
import type { Part, Supervisor } from '../supervision/supervisor.ts';
import { alarmsOf } from '../zones/alarms/alarm-row.ts';
import { isLatestRevision, isSeenBy } from '../zones/zone-rows.ts';
import type { AnyDestination } from './kinds.ts';
import { type Sender, SendFailure } from './senders/sender.ts';

/** A sender has a deadline of its own; this one ends a sender that keeps to none. */
const SEND_MS = 30 * SECOND_MS;
const CLOSE_MS = 2 * SECOND_MS;
const PROBLEM_MAX_LENGTH = 300;

export interface QueueOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly random: () => number;
  readonly supervisor: Pick<Supervisor, 'part'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly publicOrigin: string | undefined;
  readonly audit: (event: AuditEvent) => void;
}

type DeliveryRow = Selectable<Tables['delivery']>;

/**
 * Sends the notices of one destination, each until it arrived or is a day old. It keeps their order, except for notices
 * that were set aside. It loses none: a notice whose arrival was not written before a crash is sent again.
 */
export class DestinationQueue {
  readonly destination: AnyDestination;
  readonly #sender: Sender;
  readonly #options: QueueOptions;
  readonly #rows: QueueRows;
  readonly #part: Part;
  readonly #closing = new AbortController();
  /** The notice that arrived, while the database could not be written since. */
  #unrecorded: string | undefined;
  /** The problem of the connection that the database has. */
  #shownProblem: string | null | undefined;
  /** The last notice failed by an unexpected error, and is tried again later. */
  #hasDefect = false;
  #draining: Promise<void> | undefined;

  constructor(destination: AnyDestination, sender: Sender, options: QueueOptions) {
    this.destination = destination;
    this.#sender = sender;
    this.#options = options;
    this.#rows = new QueueRows(destination, options);
    this.#part = options.supervisor.part('delivery', destination.id);
  }

  /** Sends what is due, unless it is sending already. It never rejects: its part reports failures. */
  drain(fence: number): void {
    this.#draining ??= this.#supervised(fence);
  }

  async idle(): Promise<void> {
    await this.#draining;
  }

  /** Closes the queue, and ends the running request. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#draining;
    this.#part.end();
    await withinMs(this.#sender.close(), CLOSE_MS);
  }

  async #supervised(fence: number): Promise<void> {
    try {
      await this.#drain(fence);
      if (!this.#hasDefect) this.#part.worked();
    } catch (error) {
      this.#part.failed(error);
    } finally {
      this.#draining = undefined;
    }
  }

  async #drain(fence: number): Promise<void> {
    await this.#showConnection(fence);
    while (this.#mayContinue(fence) && (await this.#rows.mayTry())) {
      await this.#giveUpOld(fence);
      const due = await this.#rows.due();
      if (due.length === 0) return;
      for (const row of due) if (!this.#mayContinue(fence) || !(await this.#try(row, fence))) return;
    }
  }

  async #showConnection(fence: number): Promise<void> {
    const { problem } = this.#sender;
    if (problem === undefined || problem === this.#shownProblem) return;
    await this.#rows.connection(problem?.slice(0, PROBLEM_MAX_LENGTH) ?? null, fence);
    this.#shownProblem = problem;
  }

  /** @returns whether the next may be tried */
  async #try(row: DeliveryRow, fence: number): Promise<boolean> {
    const failure = this.#unrecorded === row.id ? undefined : await this.#send(row);
    if (failure === 'closed') return false;
    if (failure === 'void') {
      const why = this.destination.seenBy ? 'Its alarms are deleted, or not seen any more.' : 'Its alarms are deleted.';
      await this.#rows.giveUp(row, why, fence);
      this.#reportGivenUp(1, why);
      return true;
    }
    if (!failure) {
      this.#unrecorded = row.id;
      await this.#rows.arrived(row, fence);
      this.#unrecorded = undefined;
      this.#shownProblem = undefined;
      return true;
    }
    const problem = failure.message.slice(0, PROBLEM_MAX_LENGTH);
    if (failure.kind !== 'gone') return this.#rows.failed(row, failure, problem, fence);
    const notices = await this.#rows.switchOff(problem, fence);
    reportSwitchedOff(this.#options, this.destination.name, problem);
    this.#reportGivenUp(notices, problem);
    return false;
  }

  /** @returns `void`: nothing is left to be sent */
  async #send(row: DeliveryRow): Promise<SendFailure | 'closed' | 'void' | undefined> {
    const { database, publicOrigin, now } = this.#options;
    const notice = await noticeOf(database.query, row, this.destination, publicOrigin, now());
    if (!notice) return 'void';
    const { signal, end } = deadline(this.#closing.signal, SEND_MS);
    try {
      await unlessAborted(this.#sender.send(notice, signal), signal);
      this.#hasDefect = false;
      return undefined;
    } catch (error) {
      if (this.#closing.signal.aborted) return 'closed';
      if (error instanceof SendFailure) return error;
      if (signal.aborted) return new SendFailure('retry', 'It did not answer in time.');
      this.#hasDefect = true;
      this.#part.failed(error);
      return new SendFailure('failed', 'A defect of Lookout; its log has the details.');
    } finally {
      end();
    }
  }

  async #giveUpOld(fence: number): Promise<void> {
    const beforeMs = this.#rows.nowMs - DAY_MS;
    const [oldest] = await this.#rows.due();
    if (!oldest || oldest.due_ms >= beforeMs) return;
    const why = `It did not arrive within a day. ${oldest.problem ?? ''}`.trimEnd().slice(0, PROBLEM_MAX_LENGTH);
    this.#reportGivenUp(await this.#rows.giveUpDueBefore(beforeMs, why, fence), why);
  }

  #reportGivenUp(notices: number, why: string): void {
    if (notices === 0) return;
    this.#hasDefect = false;
    this.#options.audit({ kind: 'delivery_given_up', destination: this.destination.name, notices, why });
  }

  #mayContinue(fence: number): boolean {
    return !this.#closing.signal.aborted && this.#options.lease.fence === fence;
  }
}

/** A page of due notices, in memory. */
const PAGE = 20;
/** After so many tries, the others no longer wait for a notice at which the server fails. */
const TRIES_BEFORE_ASIDE = 5;
const ASIDE_MS = 15 * MINUTE_MS;
const RETRY: BackOff = { firstMs: 5 * SECOND_MS, maxMs: 15 * MINUTE_MS };
const RETRY_MIN_MS = SECOND_MS;
/** The longest wait that a destination may ask for: a mistake there must not take the day of a notice. */
const ASKED_MAX_MS = HOUR_MS;
/** A recipient that is refused all day, such as a mistyped one, costs few tries. */
const RETRY_PARTLY: BackOff = { firstMs: RETRY.firstMs, maxMs: HOUR_MS };

/** The rows of one destination. Methods reject with `DatabaseFailure`; those with a fence also with `LeaseLost`. */
class QueueRows {
  readonly #id: string;
  readonly #isQuiet: NonNullable<AnyDestination['isQuiet']>;
  readonly #options: Pick<QueueOptions, 'database' | 'now' | 'random'>;

  constructor(
    { id, isQuiet = () => false }: AnyDestination,
    options: Pick<QueueOptions, 'database' | 'now' | 'random'>,
  ) {
    this.#id = id;
    this.#isQuiet = isQuiet;
    this.#options = options;
  }

  get nowMs(): number {
    return Math.floor(epochMs(this.#options.now()));
  }

  due(): Promise<readonly DeliveryRow[]> {
    return this.#options.database.query
      .selectFrom('delivery')
      .selectAll()
      .where('destination_id', '=', this.#id)
      .where('state', '=', 'waiting')
      .where('due_ms', '<=', this.nowMs)
      .where((where) => where.or([where('aside_until_ms', 'is', null), where('aside_until_ms', '<=', this.nowMs)]))
      .$if(this.#isQuiet(this.nowMs), (query) => query.where('type', '=', 'trial'))
      .orderBy('due_ms')
      .orderBy('number')
      .limit(PAGE)
      .execute();
  }

  async mayTry(): Promise<boolean> {
    const health = await this.#health(this.#options.database.query);
    return (health?.next_try_ms ?? 0) <= this.nowMs;
  }

  arrived({ id, tries }: DeliveryRow, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      await query
        .updateTable('delivery')
        .set({ state: 'arrived', arrived_ms: this.nowMs, tries: tries + 1, problem: null })
        .where('id', '=', id)
        .execute();
      await this.#setHealth(query, {
        problem_since_ms: null,
        problem: null,
        failures: 0,
        next_try_ms: null,
        last_arrived_ms: this.nowMs,
      });
    });
  }

  /** The notice is tried again. @returns whether the next may be tried at once */
  failed({ id, tries }: DeliveryRow, failure: SendFailure, problem: string, fence: number): Promise<boolean> {
    const { kind, retryAfterMs: askedMs = 0 } = failure;
    const asideMs = this.#asideMs(kind, tries + 1);
    const mayTryNext = asideMs !== undefined && askedMs === 0;
    return this.#write(fence, async (query) => {
      const aside: Partial<Tables['delivery']> =
        asideMs === undefined ? {} : { aside_until_ms: Math.ceil(this.nowMs + asideMs) };
      await query
        .updateTable('delivery')
        .set({ tries: tries + 1, problem, ...aside })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
      const health = await this.#health(query);
      const before = health?.failures ?? 0;
      const failures = kind === 'partly' ? 0 : asideMs === undefined ? before + 1 : before;
      const waitMs = Math.max(Math.min(askedMs, ASKED_MAX_MS), this.#retryMs(Math.max(1, failures), RETRY));
      await this.#setHealth(query, {
        problem,
        failures,
        problem_since_ms: health?.problem_since_ms ?? this.nowMs,
        next_try_ms: mayTryNext ? null : this.nowMs + waitMs,
      });
      return mayTryNext;
    });
  }

  /** @returns for how long others are sent in its place; `undefined`: they wait for it */
  #asideMs(kind: SendFailure['kind'], tries: number): number | undefined {
    if (kind === 'partly') return this.#retryMs(tries, RETRY_PARTLY);
    const isAside = kind === 'failed' && tries >= TRIES_BEFORE_ASIDE;
    return isAside ? halfJitterMs(ASIDE_MS, this.#options.random) : undefined;
  }

  #retryMs(failures: number, times: BackOff): number {
    return Math.max(RETRY_MIN_MS, fullJitterMs(backOffMs(failures, times), this.#options.random));
  }

  /** Gives a notice up, which says nothing about the destination. */
  giveUp({ id }: DeliveryRow, problem: string, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      await query
        .updateTable('delivery')
        .set({ state: 'given_up', problem })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
    });
  }

  /** @param problem of the connection; null: it works, which leaves the problem of a notice that waits */
  connection(problem: string | null, fence: number): Promise<void> {
    return this.#write(fence, async (query) => {
      const health = await this.#health(query);
      if (problem !== null)
        await this.#setHealth(query, { problem, problem_since_ms: health?.problem_since_ms ?? this.nowMs });
      else if (health?.failures === 0) await this.#setHealth(query, { problem: null, problem_since_ms: null });
    });
  }

  /** @returns how many notices were given up */
  switchOff(reason: string, fence: number): Promise<number> {
    return this.#write(fence, (query) => switchOff(query, this.#id, reason, this.nowMs));
  }

  /** @returns how many notices were given up */
  giveUpDueBefore(beforeMs: number, problem: string, fence: number): Promise<number> {
    return this.#write(fence, (query) => giveUpWaiting(query, this.#id, problem, beforeMs));
  }

  #health(query: Query) {
    return query.selectFrom('destination_health').selectAll().where('destination_id', '=', this.#id).executeTakeFirst();
  }

  async #setHealth(query: Query, health: Partial<Tables['destination_health']>): Promise<void> {
    await query
      .insertInto('destination_health')
      .values({ failures: 0, ...health, destination_id: this.#id })
      .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(health))
      .execute();
  }

  #write<Result>(fence: number, run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { database } = this.#options;
    return database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      return run(query);
    });
  }
}

/** Switches a destination off that accepts nothing any more. @returns how many notices were given up */
export async function switchOff(
  query: Transaction<Tables>,
  destinationId: string,
  reason: string,
  nowMs: number,
): Promise<number> {
  await query
    .updateTable('destination')
    .set((each) => ({
      is_on: 0,
      switched_off_ms: nowMs,
      switched_off_reason: reason,
      revision: each('revision', '+', 1),
    }))
    .where('id', '=', destinationId)
    .execute();
  // The browser of a person, who sees that it has ended.
  await query.updateTable('push_subscription').set({ auth: '' }).where('id', '=', destinationId).execute();
  return endDeliveries(query, destinationId, `Switched off: ${reason}`);
}

export function reportSwitchedOff(
  { log, audit }: Pick<QueueOptions, 'log' | 'audit'>,
  name: string,
  why: string,
): void {
  log.warn({ destination: name, why }, 'a destination was switched off');
  audit({ kind: 'destination_switched_off', destination: name, why });
}

/** Call it before a destination is switched off or removed. @returns how many notices were given up */
export async function endDeliveries(
  query: Transaction<Tables>,
  destinationId: string,
  problem: string,
): Promise<number> {
  await query.deleteFrom('notice_budget').where('destination_id', '=', destinationId).execute();
  await query.deleteFrom('later_notice').where('destination_id', '=', destinationId).execute();
  return giveUpWaiting(query, destinationId, problem);
}

/** @param dueBeforeMs default: all that wait @returns how many notices were given up */
async function giveUpWaiting(
  query: Transaction<Tables>,
  destinationId: string,
  problem: string,
  dueBeforeMs = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const { numUpdatedRows } = await query
    .updateTable('delivery')
    .set({ state: 'given_up', problem })
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .where('due_ms', '<', dueBeforeMs)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Further alarms are counted: a notice of 10,000 has 100 kB at most. */
const LISTED_MAX = 20;

const zoneGroundSchema = z.object({ shape: zoneContentSchema.shape.shape, landmark: zoneContentSchema.shape.landmark });

/** Reads the alarms of a notice in their present state. @returns `undefined` where all are deleted, or seen no more */
async function noticeOf(
  query: Query,
  row: DeliveryRow,
  { units, timeZone, seenBy }: AnyDestination,
  publicOrigin: string | undefined,
  now: UpstreamInstant,
): Promise<Notice | undefined> {
  const of = query
    .selectFrom('delivery_alarm')
    .innerJoin('alarm', 'alarm.id', 'delivery_alarm.alarm_id')
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'alarm.zone_id')
    .where('delivery_alarm.delivery_id', '=', row.id)
    .where(seenBy ? isSeenBy(seenBy, 'alarm.zone_id') : isLatestRevision('alarm.zone_id'));
  const { count, zones } = await of
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.count<number>('alarm.zone_id').distinct().as('zones')])
    .executeTakeFirstOrThrow();
  const rows = await of
    .innerJoin('zone_body', 'zone_body.id', 'zone_revision.body_id')
    .selectAll('alarm')
    .select(['zone_revision.name as zone_name', 'zone_revision.content as zone_content', 'zone_body.body as zone_body'])
    .orderBy('delivery_alarm.place')
    .limit(LISTED_MAX)
    .execute();
  const alarms = await alarmsOf(query, rows);
  const type = deliverySchema.shape.type.parse(row.type);
  const [first] = alarms;
  const receiver = row.about === null ? undefined : receiverChangeSchema.parse(JSON.parse(row.about));
  if (!first && !receiver && type !== 'trial') return undefined;
  const zonesById = new Map(
    rows.map(({ zone_id, zone_content, zone_body }) => [
      zone_id,
      zoneGroundSchema.parse({ ...JSON.parse(zone_content), ...JSON.parse(zone_body) }),
    ]),
  );
  const [places, zoneCentres] = [new Map<string, AlarmPlace>(), new Map<string, LonLat>()];
  for (const alarm of alarms) {
    const itsZone = zonesById.get(alarm.zone.id);
    const record = raisedAt(alarm);
    if (!itsZone) continue;
    zoneCentres.set(alarm.zone.id, shapeCentre(itsZone.shape));
    if (record) places.set(alarm.id, alarmPlace(record, itsZone));
  }
  return {
    id: row.id,
    type,
    at: upstreamInstant(row.created_ms),
    alarms,
    receiver,
    units,
    timeZone,
    more: Number(count) - alarms.length,
    zones: Number(zones),
    places,
    zoneCentres,
    link: first && publicOrigin !== undefined ? alarmLink(publicOrigin, first, now) : null,
  };
}

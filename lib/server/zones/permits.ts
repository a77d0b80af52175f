import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import {
  type NewPermit,
  type NewPermits,
  PERMITTED_MAX,
  type Permit,
  type PermitChange,
  type PermitsAnswer,
} from '#lib/api/watching/permits.ts';
import { epochMs, instantOf, isoTime, isoTimeOrNull, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { readOperationalIntent } from '#lib/zones/formats/operational-intent.ts';
import type { PermitIntent, WatchedPermit } from '#lib/zones/permit.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { PERMITS_MAX } from '#lib/zones/zone-limits.ts';
import type { Database } from '../database/database.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables.ts';
import { ownerKey } from '../views/owner.ts';
import { requirePermitTerms } from './accepted-content.ts';
import type { Alarms } from './alarms/alarms.ts';
import { chunks } from './alarms/chunks.ts';
import { type Answered, permitNoteOf, storeAnswers } from './alarms/operator-answers.ts';
import { FLIGHT_DECIDED_AFTER_MS, flightWatchedOf, type PermitRow, storedTerms, termsOf } from './permit-rows.ts';
import { isSeenBy, requireInArea, type ZoneCaller, zonesById } from './zone-rows.ts';

const PERMITS_TOPIC = 'permits';
/** A list without a window has permits that ended within this time. */
const LATELY_MS = 7 * DAY_MS;
/** Positions of then may still arrive, and history may be read. */
const STANDING_AFTER_MS = 24 * HOUR_MS;
const LISTED_MAX = 1000;
const PROBLEMS_LISTED = 5;

type SeenPermit = PermitRow & { readonly zone_name: string };

/** The terms of a permit of a zone, as the evaluation needs them. */
export interface StandingPermit {
  readonly zone: string;
  readonly id: string;
  readonly revision: number;
  readonly terms: WatchedPermit;
}

/**
 * Permits of zones as operators make, change and end them. Every operator who sees a zone sees its permits, and may change
 * them. A change is one transaction, also for several permits with the alarms that they answer. Methods reject with a
 * `DatabaseFailure` where the database fails.
 */
export class Permits {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #alarms: Pick<Alarms, 'changed'>;
  readonly #listeners = new Set<() => void>();
  #standing: ReadonlyMap<string, StandingPermit> = new Map();

  constructor(database: Database, now: () => UpstreamInstant, alarms: Pick<Alarms, 'changed'>) {
    this.#database = database;
    this.#now = now;
    this.#alarms = alarms;
  }

  /** Called within a second of a change at any server. @returns unsubscribe */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    const end = this.#database.listen(PERMITS_TOPIC, changed);
    return () => {
      this.#listeners.delete(changed);
      end();
    };
  }

  /** Permits of all zones that are current, coming, or ended lately. The terms of a revision are read and parsed once. */
  async standing(): Promise<readonly StandingPermit[]> {
    const { query } = this.#database;
    const fromMs = this.#nowMs - STANDING_AFTER_MS;
    const heads = await query
      .selectFrom('permit')
      .select(['id', 'revision'])
      .where('end_ms', '>', fromMs)
      .where((where) =>
        where.or([
          where('ended_ms', 'is', null),
          where.and([where('ended_ms', '>', fromMs), where('ended_ms', '>', where.ref('start_ms'))]),
        ]),
      )
      .orderBy('start_ms')
      .orderBy('id')
      .execute();
    const standing = new Map<string, StandingPermit>();
    const missing: string[] = [];
    for (const { id, revision } of heads) {
      const known = this.#standing.get(id);
      if (known?.revision === revision) standing.set(id, known);
      else missing.push(id);
    }
    for await (const ids of chunks(missing)) {
      const rows = await query.selectFrom('permit').selectAll().where('id', 'in', ids).execute();
      for (const row of rows) {
        const { id, revision, zone_id, flight_since_ms, received_ms } = row;
        const awaited = flight_since_ms !== null && received_ms === null ? { permit: id, revision } : undefined;
        standing.set(id, { zone: zone_id, id, revision, terms: { ...termsOf(row), awaited } });
      }
    }
    this.#standing = standing;
    return heads.flatMap(({ id }) => standing.get(id) ?? []);
  }

  /** @param window default: current and coming ones, and those that ended within `LATELY_MS` */
  async list(caller: ZoneCaller, window?: Window): Promise<PermitsAnswer> {
    const nowMs = this.#nowMs;
    const rows = await seenPermits(this.#database.query, caller)
      .$if(window === undefined, (its) =>
        its.where('permit.end_ms', '>', nowMs - LATELY_MS).where('zone_revision.removed', '=', 0),
      )
      .$if(window !== undefined, (its) =>
        its
          .where('permit.end_ms', '>', epochMs((window as Window).start))
          .where('permit.start_ms', '<', epochMs((window as Window).end))
          .where((where) => {
            const wasValid = where.and([
              where('permit.ended_ms', '>', epochMs((window as Window).start)),
              // One that was withdrawn before it began was never valid.
              where('permit.ended_ms', '>', where.ref('permit.start_ms')),
            ]);
            return where.or([where('permit.ended_ms', 'is', null), wasValid]);
          }),
      )
      .orderBy('permit.end_ms', 'desc')
      .orderBy('permit.name')
      .orderBy('permit.id')
      .limit(LISTED_MAX + 1)
      .execute();
    const permits = rows.slice(0, LISTED_MAX).map((row) => toPermit(row, nowMs));
    const order = (permit: Permit) => ['current', 'coming', 'ended'].indexOf(permit.state);
    return {
      permits: permits.toSorted((one, next) => order(one) - order(next)),
      cut: rows.length > LISTED_MAX,
    };
  }

  /**
   * Stores all, and notes them at the alarms, in one transaction, or nothing. An alarm that another operator answered
   * meanwhile gets no note, which keeps no permit from being made.
   * @throws ApiError for a zone that the caller does not see, one permit too many, or invalid terms
   */
  async add(
    caller: ZoneCaller,
    { permits, alarms }: Pick<NewPermits, 'permits' | 'alarms'>,
  ): Promise<{ readonly permits: readonly Permit[]; readonly answers: readonly Answered[] }> {
    const made = await this.#change(async (query) => {
      const zones = await zonesById(query, caller, new Set(permits.map(({ zone }) => zone)));
      const nowMs = this.#nowMs;
      const changed = { changed_by: caller.actor, changed_ms: nowMs };
      const intents = permits.flatMap(({ zone, intent }) => (intent ? [{ zone, ...intent }] : []));
      const earlier = await earlierOf(query, caller, intents, nowMs);
      const rows = permits.map((permit, index): SeenPermit => {
        const zone = zones.get(permit.zone);
        if (!zone) throw new ApiError('not_found', 'There is no such zone.');
        // A volume that stays the same keeps its permit, and with it a reception.
        const kept = [...earlier].find((row) => isSameVolume(row, permit));
        const isAdmin = caller.isAdmin || kept !== undefined;
        requirePermitTerms(permit, { zone, caller: { ...caller, isAdmin }, nowMs, at: `permits.${index}.` });
        if (kept) {
          earlier.delete(kept);
          return { ...kept, ...columnsOf(permit), ...changed, zone_name: zone.name, revision: kept.revision + 1 };
        }
        return {
          id: randomUUID(),
          zone_id: permit.zone,
          zone_name: zone.name,
          revision: 1,
          ...columnsOf(permit),
          ...flightColumns(permit, nowMs),
          received_ms: null,
          watched: null,
          made_by: caller.actor,
          made_ms: nowMs,
          changed_by: null,
          changed_ms: null,
          ended_by: null,
          ended_ms: null,
        };
      });
      const added = rows.filter(({ revision }) => revision === 1);
      for (const { id, name, terms, revision } of rows)
        if (revision > 1) await store(query, id, { name, terms, revision, ...changed });
      for (const { id, revision, received_ms, flight_since_ms } of earlier) {
        // The flight is expected in the new volumes: nothing is to be decided about the replaced one.
        const flight = { flight_since_ms: received_ms === null ? null : flight_since_ms, flight_due_ms: null };
        await store(query, id, { revision: revision + 1, ended_by: caller.actor, ended_ms: nowMs, ...flight });
      }
      await requireRoom(query, added, nowMs);
      const texts = rows.flatMap(({ name, terms }) => [name, terms]);
      await chargeStored(query, ownerKey(caller.owner), 'permits', texts, nowMs, rows.length);
      if (added.length > 0)
        await query
          .insertInto('permit')
          .values(added.map(({ zone_name: _, ...row }) => row))
          .execute();
      const [first] = rows as [SeenPermit, ...SeenPermit[]];
      const endMs = Math.max(...rows.map(({ end_ms }) => end_ms));
      const note = permitNoteOf(caller, { name: first.name, endMs });
      const answers = await storeAnswers(this.#database, query, caller, alarms, note, nowMs);
      return { permits: rows.map((row) => toPermit(row, nowMs)), answers };
    });
    if (made.answers.some(({ alarm }) => alarm)) this.#alarms.changed();
    return made;
  }

  /** @throws ApiError as `add`, for an ended permit, or if another change came first */
  change(caller: ZoneCaller, id: string, { revision, ...permit }: PermitChange): Promise<Permit> {
    return this.#change(async (query) => {
      const nowMs = this.#nowMs;
      const { before, zone } = await changeablePermit(query, caller, id, revision, nowMs);
      const { intent } = termsOf(before);
      const columns = columnsOf({ ...permit, ...(intent && { intent }) });
      const { expects_flight = before.flight_since_ms !== null } = permit;
      // Everyone may rename what an admin permitted.
      const isSame = hasTerms(before, columns);
      const isAdmin = caller.isAdmin || isSame;
      requirePermitTerms({ ...permit, expects_flight }, { zone, caller: { ...caller, isAdmin }, nowMs, at: '' });
      const { flight_since_ms, received_ms } = before;
      const changed = {
        ...columns,
        ...flightColumns({ ...permit, expects_flight }, nowMs),
        // Earlier positions were compared with the same terms.
        ...(isSame && flight_since_ms !== null && expects_flight && { flight_since_ms }),
        received_ms: isWithin(received_ms, columns) ? received_ms : null,
        revision: revision + 1,
        changed_by: caller.actor,
        changed_ms: nowMs,
      };
      await chargeStored(query, ownerKey(caller.owner), 'permits', [changed.name, changed.terms], nowMs);
      await store(query, id, changed);
      return toPermit({ ...before, ...changed }, nowMs);
    });
  }

  /** Ends a current permit now, or withdraws a coming one. @throws ApiError as `change` */
  end(caller: ZoneCaller, id: string, revision: number): Promise<Permit> {
    return this.#change(async (query) => {
      const nowMs = this.#nowMs;
      const { before } = await changeablePermit(query, caller, id, revision, nowMs);
      const isDecided = before.flight_since_ms !== null && before.start_ms < nowMs;
      const flight_due_ms = isDecided ? nowMs + FLIGHT_DECIDED_AFTER_MS : null;
      const ended = { revision: revision + 1, ended_by: caller.actor, ended_ms: nowMs, flight_due_ms };
      await store(query, id, ended);
      return toPermit({ ...before, ...ended }, nowMs);
    });
  }

  get #nowMs(): number {
    return Math.floor(epochMs(this.#now()));
  }

  async #change<Result>(run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const result = await this.#database.change(async (query) => {
      const made = await run(query);
      await this.#database.notify(query, PERMITS_TOPIC);
      return made;
    });
    for (const listener of this.#listeners) listener();
    return result;
  }
}

/** All permits that a body makes. @throws ApiError that names the place of each problem */
export function permitsIn({ permits, operational_intents }: NewPermits): NewPermit[] {
  const converted = operational_intents.flatMap(({ zone, intent }, index) => {
    const read = readOperationalIntent(intent, `operational_intents.${index}`);
    if ('permits' in read) return read.permits.map((permit) => ({ ...permit, zone }));
    const problems = read.problems.slice(0, PROBLEMS_LISTED).map(({ place, problem }) => `${place}: ${problem}`);
    throw new ApiError('bad_body', problems.join('; '));
  });
  const all = [...permits, ...converted];
  if (all.length === 0) throw new ApiError('bad_body', 'permits: must have a permit');
  if (all.length > PERMITTED_MAX)
    throw new ApiError('bad_body', `permits: are ${all.length}; at most ${PERMITTED_MAX} are made at once`);
  return all;
}

async function store(query: Transaction<Tables>, id: string, changed: Partial<PermitRow>): Promise<void> {
  await query.updateTable('permit').set(changed).where('id', '=', id).execute();
}

/** Permits of the zones that the caller sees, also of removed ones. */
function seenPermits(query: Query, caller: ZoneCaller) {
  return query
    .selectFrom('permit')
    .innerJoin('zone_revision', 'zone_revision.zone_id', 'permit.zone_id')
    .where(isSeenBy(caller, 'zone_revision.zone_id'))
    .selectAll('permit')
    .select('zone_revision.name as zone_name');
}

type PermitIntents = readonly (PermitIntent & { readonly zone: string })[];

/**
 * Permits that other versions of intents made in the same zones, lately.
 * @throws ApiError for a version that is older than a known one, and for current or coming permits of another program
 */
async function earlierOf(query: Query, caller: ZoneCaller, intents: PermitIntents, nowMs: number) {
  if (intents.length === 0) return new Set<PermitRow>();
  const rows = await query
    .selectFrom('permit')
    .selectAll()
    .where('zone_id', 'in', [...new Set(intents.map(({ zone }) => zone))])
    .where('end_ms', '>', nowMs - LATELY_MS)
    .where('terms', 'like', '%"intent":{%')
    .execute();
  const earlier = rows.flatMap((row) => {
    const { intent } = termsOf(row);
    return intent ? [{ ...intent, zone: row.zone_id, row }] : [];
  });
  const isSame = (one: PermitIntents[number]) => (other: PermitIntents[number]) =>
    one.zone === other.zone && one.id === other.id;
  for (const intent of intents) {
    const versions = [...earlier, ...intents].filter(isSame(intent)).map(({ version }) => version);
    const latest = Math.max(...versions);
    if (intent.version < latest)
      throw new ApiError(
        'revision_conflict',
        `Version ${intent.version} of the operational intent ${intent.id} is older than version ${latest}, which Lookout has.`,
      );
  }
  const replaced = earlier.filter((each) => stateOf(each.row, nowMs) !== 'ended' && intents.some(isSame(each)));
  for (const { row } of replaced) requireOwn(caller, row);
  return new Set(replaced.map(({ row }) => row));
}

async function changeablePermit(
  query: Query,
  caller: ZoneCaller,
  id: string,
  revision: number,
  nowMs: number,
): Promise<{ readonly before: SeenPermit; readonly zone: ZoneContent }> {
  const row = await seenPermits(query, caller)
    .where('permit.id', '=', id)
    .where('zone_revision.removed', '=', 0)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such permit.');
  requireOwn(caller, row);
  if (row.revision !== revision)
    throw new ApiError(
      'revision_conflict',
      `The permit is at revision ${row.revision} now, by ${(row.ended_by ?? row.changed_by) || 'another page'}: read it again.`,
    );
  if (stateOf(row, nowMs) === 'ended') throw new ApiError('not_possible', 'The permit has ended. Make a new one.');
  const zone = (await zonesById(query, caller, new Set([row.zone_id]))).get(row.zone_id);
  if (!zone) throw new ApiError('not_found', 'There is no such zone.');
  requireInArea(caller, shapeBox(termsOf(row).shape ?? zone.shape, 0));
  return { before: row, zone };
}

function requireOwn({ isProgram, actor }: ZoneCaller, { made_by }: PermitRow): void {
  if (isProgram && made_by !== actor) throw new ApiError('not_owner', 'A token changes only the permits that it made.');
}

/** @throws ApiError for more current and coming permits than each decision may compare */
async function requireRoom(query: Query, added: readonly SeenPermit[], nowMs: number): Promise<void> {
  const rows = await query
    .selectFrom('permit')
    .select(({ fn }) => ['zone_id', fn.countAll().as('count')])
    .where('end_ms', '>', nowMs)
    .where('ended_ms', 'is', null)
    .groupBy('zone_id')
    .execute();
  const before = new Map(rows.map(({ zone_id, count }) => [zone_id, Number(count)]));
  const total = [...before.values()].reduce((sum, count) => sum + count, added.length);
  if (total > PERMITS_MAX.all)
    throw new ApiError(
      'too_many_permits',
      `Lookout has at most ${PERMITS_MAX.all} current and coming permits: end some first.`,
    );
  for (const [zone, its] of Map.groupBy(added, ({ zone_id }) => zone_id))
    if ((before.get(zone) ?? 0) + its.length > PERMITS_MAX.zone)
      throw new ApiError(
        'too_many_permits',
        `A zone has at most ${PERMITS_MAX.zone} current and coming permits: end some of “${its[0]?.zone_name}” first.`,
      );
}

function columnsOf(
  permit: Omit<NewPermit, 'zone' | 'expects_flight'>,
): Pick<PermitRow, 'name' | 'terms' | 'start_ms' | 'end_ms'> {
  return {
    name: permit.name,
    terms: JSON.stringify(storedTerms.parse(permit)),
    start_ms: Math.floor(epochMs(instantOf(permit.start))),
    end_ms: Math.floor(epochMs(instantOf(permit.end))),
  };
}

/** Whether a permit of another version of the intent is for the same volume. */
function isSameVolume(row: PermitRow, permit: NewPermit): boolean {
  const { intent } = termsOf(row);
  if (!intent || intent.id !== permit.intent?.id || row.zone_id !== permit.zone) return false;
  if (permit.expects_flight !== (row.flight_since_ms !== null)) return false;
  return hasTerms(row, columnsOf({ ...permit, intent }));
}

function hasTerms({ terms, start_ms, end_ms }: PermitRow, other: ReturnType<typeof columnsOf>): boolean {
  return terms === other.terms && start_ms === other.start_ms && end_ms === other.end_ms;
}

function flightColumns(
  { expects_flight, end }: Pick<NewPermit, 'expects_flight' | 'end'>,
  nowMs: number,
): Pick<PermitRow, 'flight_since_ms' | 'flight_due_ms'> {
  if (!expects_flight) return { flight_since_ms: null, flight_due_ms: null };
  const endMs = Math.floor(epochMs(instantOf(end)));
  return { flight_since_ms: nowMs, flight_due_ms: endMs + FLIGHT_DECIDED_AFTER_MS };
}

function isWithin(atMs: number | null, { start_ms, end_ms }: Pick<PermitRow, 'start_ms' | 'end_ms'>): boolean {
  return atMs !== null && atMs >= start_ms && atMs < end_ms;
}

function toPermit(row: SeenPermit, nowMs: number): Permit {
  const { intent = null, ...terms } = termsOf({ ...row, ended_ms: null });
  return {
    id: row.id,
    revision: row.revision,
    zone: { id: row.zone_id, name: row.zone_name },
    name: row.name,
    ...terms,
    intent,
    state: stateOf(row, nowMs),
    made_by: row.made_by,
    made_at: isoTime(row.made_ms),
    changed: row.changed_ms === null ? null : { by: row.changed_by ?? '', at: isoTime(row.changed_ms) },
    ended: row.ended_ms === null ? null : { by: row.ended_by ?? '', at: isoTime(row.ended_ms) },
    flight:
      row.flight_since_ms === null
        ? null
        : { received_at: isoTimeOrNull(row.received_ms), watched: flightWatchedOf(row.watched) },
  };
}

function stateOf({ start_ms, end_ms, ended_ms }: PermitRow, nowMs: number): Permit['state'] {
  if (ended_ms !== null || end_ms <= nowMs) return 'ended';
  return start_ms > nowMs ? 'coming' : 'current';
}

import 'server-only';
import { createHash } from 'node:crypto';
import { type Insertable, sql, type Transaction } from 'kysely';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { trackSchema } from '#lib/zones/alarm.ts';
import type { Gap, KnownAlarm } from '#lib/zones/evaluate-gap.ts';
import { loadZoneState } from '#lib/zones/evaluation/state-rows.ts';
import type { StateRow, Transition } from '#lib/zones/evaluation/transition.ts';
import type { ZoneState } from '#lib/zones/evaluation/zone-state.ts';
import type { ReceivedFlight } from '#lib/zones/expected-flight.ts';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { requireLease } from '../../database/writer-lease.ts';
import { apiRecord } from '../../upstream/api-record.ts';
import { areFlightsDue, decideDueFlights, storeReceived } from '../watch/expected-flights.ts';
import { isStored, type OpenStretch, stretchOfRow, worsenStretches, writeStretches } from '../watch/stretch-rows.ts';
import { changeNumbers, publishAlarms } from './alarm-row.ts';
import { chunks } from './chunks.ts';

/** The time is longer than any rule reads around a gap. */
const AROUND_GAP_MS = 2 * DAY_MS;

export interface Decided {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  /** Default: none. */
  readonly received?: readonly ReceivedFlight[];
  readonly stretches: readonly OpenStretch[];
  /** Times that were stored as better. They are written before `stretches`. Default: none. */
  readonly worsened?: readonly OpenStretch[];
  /** The stretches with their new state. */
  readonly madeUp: readonly OpenStretch[];
  readonly at: UpstreamInstant;
}

export interface KeptState {
  readonly state: ZoneState;
  /** The latest stretch of each layer. */
  readonly latest: readonly OpenStretch[];
}

/**
 * The store of the writer's evaluation: its state, the watched time, and the alarms with their outbox. A decision is one
 * transaction, which only the holder of the lease commits; repeated, it changes nothing. It never touches answers of
 * operators. Methods reject with `DatabaseFailure`.
 */
export class AlarmStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<KeptState> {
    const { query } = this.#database;
    const rows = await query.selectFrom('alarm_state').selectAll().execute();
    const latest = await query
      .selectFrom('zone_stretch')
      .selectAll()
      .where((where) =>
        where(
          'zone_stretch.from_ms',
          '=',
          where
            .selectFrom('zone_stretch as other')
            .select(({ fn }) => fn.max('other.from_ms').as('latest'))
            .whereRef('other.zone_id', '=', 'zone_stretch.zone_id')
            .whereRef('other.layer', '=', 'zone_stretch.layer'),
        ),
      )
      .execute();
    return {
      state: loadZoneState(rows.map(({ key, state }) => ({ key, value: state }))),
      latest: latest.map(stretchOfRow),
    };
  }

  async known({ zoneId, layer, from, to }: Gap): Promise<readonly KnownAlarm[]> {
    const rows = await this.#database.query
      .selectFrom('alarm')
      .select(['key', 'rule_id', 'ref', 'other', 'opened_ms', 'ended_ms'])
      .where('zone_id', '=', zoneId)
      .where('layer', '=', layer)
      .where('opened_ms', '<=', Math.ceil(epochMs(to)) + AROUND_GAP_MS)
      .where((where) =>
        where.or([where('ended_ms', 'is', null), where('ended_ms', '>=', Math.floor(epochMs(from)) - AROUND_GAP_MS)]),
      )
      .execute();
    return rows.map(({ key, rule_id, ref, other, opened_ms, ended_ms }) => ({
      key,
      rule: rule_id,
      ref: ref ?? undefined,
      other: other === null ? undefined : trackSchema.parse(JSON.parse(other)),
      openedAt: upstreamInstant(opened_ms),
      endedAt: ended_ms === null ? undefined : upstreamInstant(ended_ms),
    }));
  }

  /** @throws LeaseLost if another server is the writer; nothing was written */
  async commit(
    { rows, transitions, received = [], stretches, worsened = [], madeUp, at }: Decided,
    fence: number,
  ): Promise<void> {
    await this.#change(at, fence, async (query) => {
      await writeState(query, rows);
      await worsenStretches(query, worsened);
      await writeStretches(query, stretches, 0);
      if (await isStored(query, madeUp)) await writeStretches(query, madeUp, 1);
      await storeReceived(query, received);
      return transitions;
    });
  }

  /**
   * Decides the flights that permits expected until some minutes ago.
   * @returns whether there are alarms about them @throws LeaseLost
   */
  async decideFlights(at: UpstreamInstant, fence: number): Promise<boolean> {
    const atMs = Math.floor(epochMs(at));
    if (!(await areFlightsDue(this.#database.query, atMs))) return false;
    return this.#change(at, fence, (query) => decideDueFlights(query, atMs));
  }

  /** @returns whether alarms changed */
  #change(
    at: UpstreamInstant,
    fence: number,
    run: (query: Transaction<Tables>) => Promise<readonly Transition[]>,
  ): Promise<boolean> {
    return this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
      const transitions = await run(query);
      if (transitions.length === 0) return false;
      const numbers = await changeNumbers(query, transitions.length);
      await writeTransitions(query, transitions, Math.floor(epochMs(at)), numbers);
      await publishAlarms(this.#database, query);
      return true;
    });
  }
}

async function writeState(query: Transaction<Tables>, rows: readonly StateRow[]): Promise<void> {
  const gone = rows.filter(({ value }) => value === undefined).map(({ key }) => key);
  const kept = rows.flatMap(({ key, value }) => (value === undefined ? [] : [{ key, state: value }]));
  // Neighbouring keys share database pages.
  kept.sort((one, next) => (one.key < next.key ? -1 : 1));
  for await (const keys of chunks(gone)) await query.deleteFrom('alarm_state').where('key', 'in', keys).execute();
  for await (const values of chunks(kept))
    await query
      .insertInto('alarm_state')
      .values(values)
      .onConflict((conflict) => conflict.column('key').doUpdateSet((each) => ({ state: each.ref('excluded.state') })))
      .execute();
}

type NewAlarm = Insertable<Tables['alarm']>;
type Acknowledgement = Pick<
  NewAlarm,
  'acknowledged_by' | 'acknowledged_ms' | 'acknowledged_until_ms' | 'acknowledged_comment'
>;

const NOT_ACKNOWLEDGED: Acknowledgement = {
  acknowledged_by: null,
  acknowledged_ms: null,
  acknowledged_until_ms: null,
  acknowledged_comment: null,
};

interface Numbered {
  readonly id: string;
  readonly transition: Transition;
  readonly change: number;
}

/** Alarms and the outbox. A transition that is in the outbox already is not written again. */
async function writeTransitions(
  query: Transaction<Tables>,
  transitions: readonly Transition[],
  decidedMs: number,
  firstChange: number,
): Promise<void> {
  const all = transitions.map((transition, index) => ({
    id: alarmId(transition.key),
    transition,
    change: firstChange + index,
  }));
  const written = new Set<number>();
  for await (const part of chunks(all)) {
    const rows = await query
      .insertInto('alarm_outbox')
      .values(
        part.map(({ id, transition: { type, at }, change }) => ({
          alarm_id: id,
          type,
          at_ms: Math.floor(epochMs(at)),
          change,
          announced: 0,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('change')
      .execute();
    for (const { change } of rows) written.add(change);
  }
  const news = all.filter(({ change }) => written.has(change));
  await insertAlarms(
    query,
    news.filter(({ transition }) => transition.type === 'opened'),
    decidedMs,
  );
  // The last transition of an alarm decides its columns.
  const last = new Map(news.map((each) => [each.id, each]));
  const changed = [...last.values()].filter(({ transition }) => transition.type !== 'opened');
  for await (const part of chunks(changed)) await updateAlarms(query, part, decidedMs);
}

type Changed = Pick<NewAlarm, 'state' | 'unknown_since_ms' | 'ended_ms' | 'ended' | 'count' | 'expected'>;

function columnsAfter({ type, at, count, end, expected }: Transition): Changed {
  const atMs = Math.floor(epochMs(at));
  return {
    state: type === 'unknown' || type === 'ended' ? type : 'open',
    unknown_since_ms: type === 'unknown' ? atMs : null,
    ended_ms: type === 'ended' ? atMs : null,
    ended: type === 'ended' ? (end ?? null) : null,
    count,
    expected: expected ? 1 : 0,
  };
}

/** Both databases name the columns of `values` column1, column2, and so on. */
async function updateAlarms(
  query: Transaction<Tables>,
  changed: readonly Numbered[],
  changedMs: number,
): Promise<void> {
  const rows = changed.map(({ id, transition, change }) => {
    const { state, unknown_since_ms, ended_ms, ended, count, expected } = columnsAfter(transition);
    const texts = sql`${id}, ${state}, cast(${ended} as text)`;
    const numbers = [unknown_since_ms, ended_ms, count, expected, change].map((value) => sql`cast(${value} as bigint)`);
    return sql`(${texts}, ${sql.join(numbers)})`;
  });
  await sql`
    update alarm set
      state = news.column2, ended = news.column3, unknown_since_ms = news.column4, ended_ms = news.column5,
      count = news.column6, expected = news.column7, change = news.column8, changed_ms = ${changedMs}
    from (values ${sql.join(rows)}) as news
    where alarm.id = news.column1`.execute(query);
}

async function insertAlarms(query: Transaction<Tables>, opened: readonly Numbered[], decidedMs: number): Promise<void> {
  if (opened.length === 0) return;
  const acknowledgementOf = await coveringAcknowledgements(query, opened);
  const rows = opened.map((each) => ({ ...alarmRow(each, decidedMs), ...acknowledgementOf(each.transition) }));
  for await (const part of chunks(rows))
    await query
      .insertInto('alarm')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

function alarmRow({ id, transition, change }: Numbered, decidedMs: number): NewAlarm {
  const openedMs = Math.floor(epochMs(transition.openedAt));
  const { rule, layer, ref = null, other, perhapsSameAs } = transition;
  return {
    id,
    key: transition.key,
    zone_id: transition.zone,
    zone_revision: transition.revision,
    rule_id: rule,
    layer,
    ref,
    other: other ? JSON.stringify(other) : null,
    kind: transition.kind,
    opened_ms: openedMs,
    decided_ms: decidedMs,
    state: 'open',
    unknown_since_ms: null,
    ended_ms: null,
    ended: null,
    count: transition.count,
    found_later_ms: transition.found === 'history' ? Math.max(0, decidedMs - openedMs) : null,
    height_unknown: transition.heightUnknown ? 1 : 0,
    simulated: transition.simulated ? 1 : 0,
    test: transition.test ? 1 : 0,
    perhaps_same_as: perhapsSameAs === undefined ? null : alarmId(perhapsSameAs),
    expected: transition.expected ? 1 : 0,
    ...NOT_ACKNOWLEDGED,
    closed_by: null,
    closed_ms: null,
    closed_as: null,
    closed_comment: null,
    evidence: JSON.stringify(transition.evidence.map(apiRecord)),
    changed_ms: decidedMs,
    change,
    revision: 0,
  };
}

/** An acknowledgement until a time covers later alarms of its rule and track. */
async function coveringAcknowledgements(
  query: Transaction<Tables>,
  opened: readonly Numbered[],
): Promise<(transition: Transition) => Acknowledgement> {
  const earliestMs = opened.reduce(
    (ms, { transition }) => Math.min(ms, epochMs(transition.openedAt)),
    Number.POSITIVE_INFINITY,
  );
  const rows = await query
    .selectFrom('alarm')
    .select(['rule_id', 'layer', 'ref', 'acknowledged_by', 'acknowledged_ms', 'acknowledged_comment'])
    .select('acknowledged_until_ms')
    .where('acknowledged_until_ms', '>', Math.floor(earliestMs))
    .orderBy('acknowledged_until_ms', 'desc')
    .execute();
  // The latest end of each subject.
  const latest = new Map(rows.toReversed().map((row) => [subjectOf(row.rule_id, row.layer, row.ref), row]));
  return ({ rule, layer, ref, openedAt }) => {
    const covering = ref === undefined ? undefined : latest.get(subjectOf(rule, layer, ref));
    if (!covering || (covering.acknowledged_until_ms ?? 0) <= epochMs(openedAt)) return NOT_ACKNOWLEDGED;
    const { rule_id: _, layer: _1, ref: _2, ...acknowledgement } = covering;
    return acknowledgement;
  };
}

function subjectOf(rule: string, layer: string, ref: string | null): string {
  return `${rule}|${layer}|${ref ?? ''}`;
}

/** A UUID of version 8, equal at every server. */
function alarmId(key: string): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

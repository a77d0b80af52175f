import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import * as z from 'zod/mini';
import { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import type { NoticeType } from '#lib/outputs/notice.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { ALARM_ENDS, FLIGHT_NOT_RECEIVED } from '#lib/zones/alarm.ts';
import { BACK_WITHIN_MS } from '#lib/zones/evaluation/times.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import { requireLease } from '../database/writer-lease.ts';
import { chunks } from '../zones/alarms/chunks.ts';
import { NEW_BUDGET, NoticeBudget } from './notice-budget.ts';
import { activeTargets, type Standing, type Target } from './targets.ts';

/** A transaction handles so many rows. */
const PAGE = 500;

const ALARM_COLUMNS = [
  ...([
    'alarm.zone_id',
    'alarm.zone_revision',
    'alarm.rule_id',
    'alarm.kind',
    'alarm.ended',
    'alarm.expected',
  ] as const),
  ...(['alarm.acknowledged_by', 'alarm.acknowledged_until_ms', 'alarm.closed_by'] as const),
] as const;

const changeTypeSchema = z.enum([...ANNOUNCED, 'returned', 'counted', 'permitted']);
const endSchema = z.nullable(z.enum(ALARM_ENDS));
/** No return reopens an alarm that ended so. */
const FINAL_ENDS: ReadonlySet<(typeof ALARM_ENDS)[number] | null> = new Set([
  ...(['hours_over', 'rule_changed', 'zone_removed', 'resumed', 'permit_over'] as const),
]);

/**
 * Turns a page of the outbox of alarms into notices, each change exactly once. The destinations are those that the rule
 * names now, and those that receive all alarms. It decides what is sent and when; `queue.ts` sends it.
 * @returns whether there may be more @throws LeaseLost
 */
export async function fanOut(database: Database, fence: number, nowMs: number, standing: Standing): Promise<boolean> {
  const next = await database.query
    .selectFrom('alarm_outbox')
    .select('change')
    .where('change', '>', (each) => each.selectFrom('delivery_cursor').select('change'))
    .limit(1)
    .executeTakeFirst();
  if (!next) return false;
  return database.change(async (query) => {
    await requireLease(query, database.dialect, fence);
    const { change: handled } = await query.selectFrom('delivery_cursor').select('change').executeTakeFirstOrThrow();
    const changes = await query
      .selectFrom('alarm_outbox')
      .innerJoin('alarm', 'alarm.id', 'alarm_outbox.alarm_id')
      .select(['alarm_outbox.alarm_id', 'alarm_outbox.type', 'alarm_outbox.at_ms', 'alarm_outbox.change'])
      .select(ALARM_COLUMNS)
      .where('alarm_outbox.change', '>', handled)
      .orderBy('alarm_outbox.change')
      .limit(PAGE)
      .execute();
    const last = changes.at(-1);
    if (!last) return false;
    const targetsOf = await ruleTargets(query, changes);
    const active = await activeTargets(query, new Set(changes.map(({ zone_id }) => zone_id)), nowMs, standing);
    const toAll = Array.from(active.values()).flatMap(({ id, isToAll }) => (isToAll ? id : []));
    const taking = (named: readonly string[], zoneId: string, type: (typeof ANNOUNCED)[number]) =>
      [...new Set([...named, ...toAll])]
        .flatMap((id) => active.get(id) ?? [])
        .filter((target) => target.announces.has(type) && target.takes(zoneId));
    const announced = await announcedStates(
      query,
      changes.map(({ alarm_id }) => alarm_id),
    );
    const announcing: number[] = [];
    const notices = new NoticeWriter(query, nowMs);
    const later = new LaterNotices(query);
    for (const row of changes) {
      const { alarm_id, zone_id, at_ms } = row;
      const change = changeTypeSchema.parse(row.type);
      // Pages show the count; a notice would repeat with each.
      if (change === 'counted') continue;
      if (change === 'permitted') {
        later.dropEscalation(alarm_id);
        continue;
      }
      if (row.kind === FLIGHT_NOT_RECEIVED) {
        const type = 'flight_not_received';
        for (const target of change === 'opened' ? taking(targetsOf.ofZone(zone_id), zone_id, type) : [])
          await notices.add(target, { alarmId: alarm_id, zoneId: zone_id, type });
        continue;
      }
      const isOpening = change === 'opened' || change === 'reopened' || change === 'returned';
      if (isOpening) later.dropEnd(alarm_id);
      // Without a notice of its end, a return is no news.
      if (change === 'returned' && announced.get(alarm_id) === 'open') continue;
      if (isOpening ? row.expected === 1 || isHandled(row, nowMs) : !announced.has(alarm_id)) continue;
      const type = change === 'returned' ? 'reopened' : change;
      const { notify, escalate } = targetsOf.ofRule(row);
      const wanted = taking(notify, zone_id, type);
      const isEnd = type === 'ended';
      const due_ms = isEnd && !FINAL_ENDS.has(endSchema.parse(row.ended)) ? at_ms + BACK_WITHIN_MS : nowMs;
      if (due_ms > nowMs) {
        for (const { id } of wanted) later.add({ alarm_id, destination_id: id, type: 'ended', due_ms });
        continue;
      }
      for (const target of wanted) await notices.add(target, { alarmId: alarm_id, zoneId: zone_id, type });
      if (isOpening || isEnd) {
        announced.set(alarm_id, isEnd ? 'ended' : 'open');
        announcing.push(row.change);
      }
      if (escalate && isOpening && active.has(escalate.destination)) {
        const afterMs = nowMs + escalate.after_s * SECOND_MS;
        later.add({ alarm_id, destination_id: escalate.destination, type: 'escalated', due_ms: afterMs });
      }
    }
    for await (const part of chunks(announcing))
      await query.updateTable('alarm_outbox').set({ announced: 1 }).where('change', 'in', part).execute();
    await later.write();
    await notices.write();
    await query.updateTable('delivery_cursor').set({ change: last.change }).execute();
    return changes.length === PAGE;
  });
}

type Handled = Pick<Tables['alarm'], 'acknowledged_by' | 'acknowledged_until_ms' | 'closed_by'>;

/** An acknowledgement without a time covers the alarm until it ends, and an escalation after that. */
function isHandled({ acknowledged_by, acknowledged_until_ms, closed_by }: Handled, nowMs: number): boolean {
  return (
    closed_by !== null ||
    (acknowledged_by !== null && (acknowledged_until_ms === null || acknowledged_until_ms > nowMs))
  );
}

/** The state of each alarm by its last notice; alarms without one are missing. */
async function announcedStates(
  query: Transaction<Tables>,
  alarmIds: readonly string[],
): Promise<Map<string, 'open' | 'ended'>> {
  const announced = new Map<string, 'open' | 'ended'>();
  for await (const part of chunks([...new Set(alarmIds)])) {
    const rows = await query
      .selectFrom('alarm_outbox')
      .select(['alarm_id', 'type'])
      .where('alarm_id', 'in', part)
      .where('announced', '=', 1)
      .orderBy('change')
      .execute();
    for (const { alarm_id, type } of rows) announced.set(alarm_id, type === 'ended' ? 'ended' : 'open');
  }
  return announced;
}

const rulesSchema = z.object({ rules: zoneContentSchema.shape.rules });

type RuleOfAlarm = Pick<Tables['alarm'], 'zone_id' | 'zone_revision' | 'rule_id'>;
type RuleTargets = Pick<Rule, 'notify' | 'escalate'>;

interface TargetsOf {
  /** The latest revision of the rule decides, since a change of its destinations ends no alarm. */
  ofRule(of: RuleOfAlarm): RuleTargets;
  /** The destinations that any rule of a zone names. */
  ofZone(zoneId: string): readonly string[];
}

async function ruleTargets(query: Query, alarms: readonly RuleOfAlarm[]): Promise<TargetsOf> {
  const targets = new Map<string, RuleTargets>();
  const ofZones = new Map<string, readonly string[]>();
  for (const [zoneId, its] of Map.groupBy(alarms, ({ zone_id }) => zone_id)) {
    const rows = await query
      .selectFrom('zone_revision')
      .select('content')
      .where('zone_id', '=', zoneId)
      .where((where) =>
        where.or([
          where('revision', 'in', [...new Set(its.map(({ zone_revision }) => zone_revision))]),
          where(
            'revision',
            '=',
            where
              .selectFrom('zone_revision as other')
              .select(({ fn }) => fn.max('other.revision').as('latest'))
              .where('other.zone_id', '=', zoneId),
          ),
        ]),
      )
      .orderBy('revision')
      .execute();
    for (const { content } of rows) {
      const { rules } = rulesSchema.parse(JSON.parse(content));
      for (const rule of rules) targets.set(`${zoneId} ${rule.id}`, rule);
      ofZones.set(
        zoneId,
        rules.flatMap(({ notify }) => notify),
      );
    }
  }
  return {
    ofRule: ({ zone_id, rule_id }) => targets.get(`${zone_id} ${rule_id}`) ?? { notify: [], escalate: null },
    ofZone: (zoneId) => ofZones.get(zoneId) ?? [],
  };
}

const laterTypeSchema = z.enum(['ended', 'escalated']);
type Later = Omit<Tables['later_notice'], 'type'> & { readonly type: z.infer<typeof laterTypeSchema> };

/**
 * Notices that one transaction puts off. An end waits, since the track may return at once; an escalation waits, since an
 * operator may handle the alarm.
 */
class LaterNotices {
  readonly #query: Transaction<Tables>;
  readonly #returned = new Set<string>();
  readonly #permitted = new Set<string>();
  #added: Later[] = [];

  constructor(query: Transaction<Tables>) {
    this.#query = query;
  }

  add(later: Later): void {
    this.#added.push(later);
  }

  /** Drops the notice of an alarm's end, since its track has returned. */
  dropEnd(alarmId: string): void {
    this.#added = this.#added.filter(({ alarm_id, type }) => alarm_id !== alarmId || type !== 'ended');
    this.#returned.add(alarmId);
  }

  /** Drops the escalation of an alarm that a permit covers now. Beyond the permit, the alarm is announced again. */
  dropEscalation(alarmId: string): void {
    this.#added = this.#added.filter(({ alarm_id, type }) => alarm_id !== alarmId || type !== 'escalated');
    this.#permitted.add(alarmId);
  }

  async write(): Promise<void> {
    const query = this.#query;
    for await (const ids of chunks([...this.#permitted]))
      await query.deleteFrom('later_notice').where('type', '=', 'escalated').where('alarm_id', 'in', ids).execute();
    for await (const ids of chunks([...this.#returned]))
      await query.deleteFrom('later_notice').where('type', '=', 'ended').where('alarm_id', 'in', ids).execute();
    for await (const rows of chunks(this.#added))
      await query
        .insertInto('later_notice')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}

/**
 * Makes the notices whose wait is over. An end cancels no escalation.
 * @returns whether there may be more @throws LeaseLost
 */
export async function announceDue(
  database: Database,
  fence: number,
  nowMs: number,
  standing: Standing,
): Promise<boolean> {
  const due = database.query.selectFrom('later_notice').select('alarm_id').where('due_ms', '<=', nowMs);
  if (!(await due.limit(1).executeTakeFirst())) return false;
  return database.change(async (query) => {
    await requireLease(query, database.dialect, fence);
    const rows = await query
      .selectFrom('later_notice')
      .leftJoin('alarm', 'alarm.id', 'later_notice.alarm_id')
      .select(['later_notice.alarm_id', 'later_notice.destination_id', 'later_notice.type', 'alarm.zone_id'])
      .select(['alarm.acknowledged_by', 'alarm.acknowledged_until_ms', 'alarm.closed_by'])
      .where('later_notice.due_ms', '<=', nowMs)
      .orderBy('later_notice.due_ms')
      .orderBy('later_notice.alarm_id')
      .limit(PAGE)
      .execute();
    const active = await activeTargets(query, new Set(rows.flatMap(({ zone_id }) => zone_id ?? [])), nowMs, standing);
    const notices = new NoticeWriter(query, nowMs);
    const ended = new Set<string>();
    for (const { alarm_id, destination_id, zone_id, ...row } of rows) {
      const type = laterTypeSchema.parse(row.type);
      await query
        .deleteFrom('later_notice')
        .where('alarm_id', '=', alarm_id)
        .where('destination_id', '=', destination_id)
        .where('type', '=', type)
        .execute();
      const target = active.get(destination_id);
      if (!target || zone_id === null || !target.takes(zone_id) || (type === 'escalated' && isHandled(row, nowMs)))
        continue;
      if (type === 'ended') ended.add(alarm_id);
      await notices.add(target, { alarmId: alarm_id, zoneId: zone_id, type });
    }
    // Earlier ends that a return hid are marked too: only the last decides.
    for await (const ids of chunks([...ended]))
      await query
        .updateTable('alarm_outbox')
        .set({ announced: 1 })
        .where('type', '=', 'ended')
        .where('alarm_id', 'in', ids)
        .execute();
    await notices.write();
    return rows.length === PAGE;
  });
}

interface Announced {
  readonly alarmId: string;
  readonly zoneId: string;
  readonly type: NoticeType;
}

/** Collects the notices of one transaction, places each change by the budget of its destination, and writes the rows. */
class NoticeWriter {
  readonly #query: Transaction<Tables>;
  readonly #nowMs: number;
  readonly #budgets = new Map<string, NoticeBudget>();
  readonly #deliveries: Omit<Insertable<Tables['delivery']>, 'number'>[] = [];
  readonly #alarms: { readonly delivery_id: string; readonly alarm_id: string }[] = [];

  constructor(query: Transaction<Tables>, nowMs: number) {
    this.#query = query;
    this.#nowMs = nowMs;
  }

  async add(target: Target, { alarmId, zoneId, type }: Announced): Promise<void> {
    const budget = await this.#budgetOf(target);
    const id = randomUUID();
    const key = `${zoneId} ${type}`;
    const placement = budget.place(key, this.#nowMs, id);
    const into = placement.kind === 'notice' ? id : placement.id;
    this.#alarms.push({ delivery_id: into, alarm_id: alarmId });
    if (placement.kind === 'notice') this.#add(id, target, type, key, 'waiting', placement.dueMs);
    if (placement.kind !== 'summary') return;
    if (placement.isNew) this.#add(into, target, 'summary', '', 'waiting', placement.dueMs);
    const grouped = randomUUID();
    this.#add(grouped, target, type, '', 'grouped', this.#nowMs);
    this.#alarms.push({ delivery_id: grouped, alarm_id: alarmId });
  }

  async write(): Promise<void> {
    const query = this.#query;
    const first = await nextNumbers(query, this.#deliveries.length + this.#alarms.length);
    const deliveries = this.#deliveries.map((row, index) => ({ ...row, number: first + index }));
    const places = this.#alarms.map((row, index) => ({ ...row, place: first + index }));
    for await (const rows of chunks(deliveries)) await query.insertInto('delivery').values(rows).execute();
    for await (const rows of chunks(places))
      await query
        .insertInto('delivery_alarm')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    for (const [destination_id, { state }] of this.#budgets) {
      const row = { hour_ms: state.hourMs, used: state.used, summary_id: state.summary ?? '' } satisfies Partial<
        Tables['notice_budget']
      >;
      await query
        .insertInto('notice_budget')
        .values({ destination_id, ...row })
        .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(row))
        .execute();
    }
  }

  #add(id: string, { id: destination_id }: Target, type: string, group_key: string, state: string, due_ms: number) {
    this.#deliveries.push({
      id,
      destination_id,
      type,
      group_key,
      state,
      created_ms: this.#nowMs,
      due_ms,
      arrived_ms: null,
      tries: 0,
      problem: null,
    });
  }

  async #budgetOf(target: Target): Promise<NoticeBudget> {
    const known = this.#budgets.get(target.id);
    if (known) return known;
    const stored = await this.#query
      .selectFrom('notice_budget')
      .selectAll()
      .where('destination_id', '=', target.id)
      .executeTakeFirst();
    const waiting = await this.#query
      .selectFrom('delivery')
      .select(['id', 'group_key', 'due_ms'])
      .where('destination_id', '=', target.id)
      .where('state', '=', 'waiting')
      .where('due_ms', '>', this.#nowMs)
      .execute();
    const state = stored && {
      hourMs: stored.hour_ms,
      used: stored.used,
      summary: waiting.find(({ id }) => id === stored.summary_id)?.id,
    };
    const groups = waiting.filter(({ group_key }) => group_key !== '');
    const budget = new NoticeBudget(
      target,
      state ?? NEW_BUDGET,
      groups.map(({ id, group_key, due_ms }) => [group_key, { id, dueMs: due_ms }]),
    );
    this.#budgets.set(target.id, budget);
    return budget;
  }
}

/** Reserves numbers, by which notices and their alarms are ordered. @returns the first */
export async function nextNumbers(query: Transaction<Tables>, count: number): Promise<number> {
  const { made } = await query
    .updateTable('delivery_cursor')
    .set((each) => ({ made: each('made', '+', count) }))
    .returning('made')
    .executeTakeFirstOrThrow();
  return made - count + 1;
}

import 'server-only';
import type { Transaction } from 'kysely';
import { ANNOUNCED, deliverySchema } from '#lib/api/outputs/destinations.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { chunks } from '../../zones/alarms/chunks.ts';
import { NoticeWriter, type Target } from './notice-writer.ts';
import { ruleTargets } from './rule-targets.ts';

/** A transaction. */
const PAGE = 500;

const { type: typeSchema } = deliverySchema.shape;

const OF_ALARM = [
  'alarm.zone_id',
  'alarm.zone_revision',
  'alarm.rule_id',
  'alarm.expected',
  'alarm.acknowledged_by',
  'alarm.acknowledged_until_ms',
  'alarm.closed_by',
] as const;

type Handled = Pick<Tables['alarm'], 'acknowledged_by' | 'acknowledged_until_ms' | 'closed_by'>;

/** Turns a page of the outbox into notices, exactly once. @returns whether there may be more @throws LeaseLost */
export async function fanOut(database: Database, fence: number, nowMs: number): Promise<boolean> {
  const next = await database.query
    .selectFrom('alarm_outbox')
    .select('change')
    .where('change', '>', (each) => each.selectFrom('delivery_cursor').select('change'))
    .limit(1)
    .executeTakeFirst();
  if (!next) return false;
  return database.change(async (query) => {
    await requireLease(query, database.dialect, fence);
    const { change } = await query.selectFrom('delivery_cursor').select('change').executeTakeFirstOrThrow();
    const rows = await query
      .selectFrom('alarm_outbox')
      .innerJoin('alarm', 'alarm.id', 'alarm_outbox.alarm_id')
      .select(['alarm_outbox.alarm_id', 'alarm_outbox.type', 'alarm_outbox.change', ...OF_ALARM])
      .where('alarm_outbox.change', '>', change)
      .orderBy('alarm_outbox.change')
      .limit(PAGE)
      .execute();
    const last = rows.at(-1);
    if (!last) return false;
    const targetsOf = await ruleTargets(query, rows);
    const targets = await activeTargets(query);
    const silent = await silentAlarms(query, rows, nowMs);
    const writer = new NoticeWriter(query, nowMs);
    for (const row of rows) {
      if (silent.has(row.change)) continue;
      const { notify, escalate } = targetsOf(row);
      const announced = { alarmId: row.alarm_id, zoneId: row.zone_id, type: typeSchema.parse(row.type) };
      for (const id of new Set(notify)) {
        const target = targets.get(id);
        if (target?.announces.includes(`"${row.type}"`)) await writer.add(target, announced);
      }
      if (escalate && targets.has(escalate.destination) && isOpening(row.type))
        await query
          .insertInto('escalation')
          .values({
            alarm_id: row.alarm_id,
            destination_id: escalate.destination,
            due_ms: nowMs + escalate.after_s * SECOND_MS,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    }
    await writer.write();
    await query.updateTable('delivery_cursor').set({ change: last.change }).execute();
    return rows.length === PAGE;
  });
}

/** An end of the alarm cancels none. @returns whether there may be more @throws LeaseLost */
export async function escalateDue(database: Database, fence: number, nowMs: number): Promise<boolean> {
  const due = database.query.selectFrom('escalation').select('alarm_id').where('due_ms', '<=', nowMs);
  if (!(await due.limit(1).executeTakeFirst())) return false;
  return database.change(async (query) => {
    await requireLease(query, database.dialect, fence);
    const rows = await query
      .selectFrom('escalation')
      .leftJoin('alarm', 'alarm.id', 'escalation.alarm_id')
      .select(['escalation.alarm_id', 'escalation.destination_id', 'alarm.zone_id'])
      .select(['alarm.acknowledged_by', 'alarm.acknowledged_until_ms', 'alarm.closed_by'])
      .where('escalation.due_ms', '<=', nowMs)
      .orderBy('escalation.due_ms')
      .limit(PAGE)
      .execute();
    const targets = await activeTargets(query);
    const writer = new NoticeWriter(query, nowMs);
    for (const { alarm_id, destination_id, zone_id, ...alarm } of rows) {
      await query
        .deleteFrom('escalation')
        .where('alarm_id', '=', alarm_id)
        .where('destination_id', '=', destination_id)
        .execute();
      const target = targets.get(destination_id);
      if (target && zone_id !== null && !isHandled(alarm, nowMs))
        await writer.add(target, { alarmId: alarm_id, zoneId: zone_id, type: 'escalated' });
    }
    await writer.write();
    return rows.length === PAGE;
  });
}

async function activeTargets(query: Transaction<Tables>): Promise<ReadonlyMap<string, Target>> {
  const rows = await query
    .selectFrom('destination')
    .select(['id', 'announces', 'group_s', 'notices_an_hour'])
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .where('kind', '<>', 'heartbeat')
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

type OutboxRow = Handled &
  Pick<Tables['alarm'], 'expected'> &
  Pick<Tables['alarm_outbox'], 'alarm_id' | 'type' | 'change'>;

/** Marks announced openings. @returns changes that announce nothing */
async function silentAlarms(
  query: Transaction<Tables>,
  rows: readonly OutboxRow[],
  nowMs: number,
): Promise<ReadonlySet<number>> {
  const openings = rows.filter(({ type }) => isOpening(type));
  const loud = openings.filter((row) => row.expected === 0 && !isHandled(row, nowMs));
  for (const part of chunks(loud.map(({ change }) => change)))
    await query.updateTable('alarm_outbox').set({ announced: 1 }).where('change', 'in', part).execute();
  const known = new Set<string>();
  for (const part of chunks([...new Set(rows.map(({ alarm_id }) => alarm_id))])) {
    const found = await query
      .selectFrom('alarm_outbox')
      .select('alarm_id')
      .where('alarm_id', 'in', part)
      .where('announced', '=', 1)
      .execute();
    for (const { alarm_id } of found) known.add(alarm_id);
  }
  const isLoud = new Set(loud);
  const silent = rows.filter((row) => (isOpening(row.type) ? !isLoud.has(row) : !known.has(row.alarm_id)));
  return new Set(silent.map(({ change }) => change));
}

function isOpening(type: string): boolean {
  return type === ANNOUNCED[0] || type === ANNOUNCED[1];
}

/** An acknowledgement without a time covers the alarm until it ends, and an escalation after that. */
function isHandled({ acknowledged_by, acknowledged_until_ms, closed_by }: Handled, nowMs: number): boolean {
  return (
    closed_by !== null ||
    (acknowledged_by !== null && (acknowledged_until_ms === null || acknowledged_until_ms > nowMs))
  );
}

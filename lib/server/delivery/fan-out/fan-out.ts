import 'server-only';
import { deliverySchema } from '#lib/api/outputs/destinations.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { BACK_WITHIN_MS } from '#lib/zones/evaluation/times.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import { activeTargets, announcedBefore, isHandled, markAnnounced } from './announcing.ts';
import { LaterNotices } from './later-notices.ts';
import { NoticeWriter } from './notice-writer.ts';
import { ruleTargets } from './rule-targets.ts';

/** A transaction. */
const PAGE = 500;

const { type: typeSchema } = deliverySchema.shape;

const OF_ALARM = [
  'alarm.zone_id',
  'alarm.zone_revision',
  'alarm.rule_id',
  'alarm.ended',
  'alarm.expected',
  'alarm.acknowledged_by',
  'alarm.acknowledged_until_ms',
  'alarm.closed_by',
] as const;

const OPENINGS: readonly string[] = ['opened', 'reopened', 'returned'];
/** No return reopens an alarm that ended so. */
const FINAL_ENDS: readonly (string | null)[] = ['hours_over', 'rule_changed', 'zone_removed', 'resumed'];

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
      .select(['alarm_outbox.alarm_id', 'alarm_outbox.type', 'alarm_outbox.at_ms', 'alarm_outbox.change', ...OF_ALARM])
      .where('alarm_outbox.change', '>', change)
      .orderBy('alarm_outbox.change')
      .limit(PAGE)
      .execute();
    const last = rows.at(-1);
    if (!last) return false;
    const targetsOf = await ruleTargets(query, rows);
    const targets = await activeTargets(query);
    const lastSaid = await announcedBefore(
      query,
      rows.map(({ alarm_id }) => alarm_id),
    );
    const announced: number[] = [];
    const writer = new NoticeWriter(query, nowMs);
    const later = new LaterNotices(query);
    for (const row of rows) {
      const { alarm_id, zone_id } = row;
      // Seen on pages; a notice would repeat with each count.
      if (row.type === 'counted') continue;
      const isOpening = OPENINGS.includes(row.type);
      if (isOpening) later.forgetEnd(alarm_id);
      // Without a notice of its end, a return is no news.
      if (row.type === 'returned' && lastSaid.get(alarm_id) === 'open') continue;
      if (isOpening ? row.expected === 1 || isHandled(row, nowMs) : !lastSaid.has(alarm_id)) continue;
      const { notify, escalate } = targetsOf(row);
      const type = typeSchema.parse(row.type === 'returned' ? 'reopened' : row.type);
      const listening = [...new Set(notify)].flatMap((id) => targets.get(id) ?? []);
      const wanted = listening.filter(({ announces }) => announces.includes(`"${type}"`));
      const isEnd = type === 'ended';
      const lastedMs = isEnd && !FINAL_ENDS.includes(row.ended) ? row.at_ms + BACK_WITHIN_MS : nowMs;
      if (lastedMs > nowMs) {
        for (const { id } of wanted) later.add({ alarm_id, destination_id: id, type: 'ended', due_ms: lastedMs });
        continue;
      }
      for (const target of wanted) await writer.add(target, { alarmId: alarm_id, zoneId: zone_id, type });
      if (isOpening || isEnd) {
        lastSaid.set(alarm_id, isEnd ? 'ended' : 'open');
        announced.push(row.change);
      }
      if (escalate && targets.has(escalate.destination) && isOpening) {
        const due_ms = nowMs + escalate.after_s * SECOND_MS;
        later.add({ alarm_id, destination_id: escalate.destination, type: 'escalated', due_ms });
      }
    }
    await markAnnounced(query, announced);
    await later.write();
    await writer.write();
    await query.updateTable('delivery_cursor').set({ change: last.change }).execute();
    return rows.length === PAGE;
  });
}

import 'server-only';
import type { Transaction } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import { chunks } from '../../zones/alarms/chunks.ts';
import type { Target } from './notice-writer.ts';

export type Handled = Pick<Tables['alarm'], 'acknowledged_by' | 'acknowledged_until_ms' | 'closed_by'>;

/** State of an alarm by its last notice. */
export type Announced = 'open' | 'ended';

/** An acknowledgement without a time covers the alarm until it ends, and an escalation after that. */
export function isHandled({ acknowledged_by, acknowledged_until_ms, closed_by }: Handled, nowMs: number): boolean {
  return (
    closed_by !== null ||
    (acknowledged_by !== null && (acknowledged_until_ms === null || acknowledged_until_ms > nowMs))
  );
}

export async function activeTargets(query: Transaction<Tables>): Promise<ReadonlyMap<string, Target>> {
  const rows = await query
    .selectFrom('destination')
    .select(['id', 'announces', 'group_s', 'notices_an_hour'])
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .where('kind', '<>', 'heartbeat')
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** By alarm. */
export async function announcedBefore(
  query: Transaction<Tables>,
  alarmIds: readonly string[],
): Promise<Map<string, Announced>> {
  const announced = new Map<string, Announced>();
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

export async function markAnnounced(query: Transaction<Tables>, changes: readonly number[]): Promise<void> {
  for await (const part of chunks(changes))
    await query.updateTable('alarm_outbox').set({ announced: 1 }).where('change', 'in', part).execute();
}

/** Earlier ends that a return hid are marked too: only the last decides. */
export async function markEndsAnnounced(query: Transaction<Tables>, alarmIds: readonly string[]): Promise<void> {
  for await (const part of chunks(alarmIds))
    await query
      .updateTable('alarm_outbox')
      .set({ announced: 1 })
      .where('type', '=', 'ended')
      .where('alarm_id', 'in', part)
      .execute();
}

import 'server-only';
import type { Selectable, Transaction } from 'kysely';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { chunks } from '../../zones/alarms/chunks.ts';
import { activeTargets, isHandled, markEndsAnnounced } from './announcing.ts';
import { NoticeWriter } from './notice-writer.ts';

/** A transaction. */
const PAGE = 500;

type Later = Selectable<Tables['later_notice']> & { readonly type: 'escalated' | 'ended' };

/**
 * Notices that one transaction puts off. An end waits, since the track may be back at once; an escalation, since an
 * operator may handle the alarm.
 */
export class LaterNotices {
  readonly #query: Transaction<Tables>;
  readonly #returned = new Set<string>();
  #added: Later[] = [];

  constructor(query: Transaction<Tables>) {
    this.#query = query;
  }

  add(later: Later): void {
    this.#added.push(later);
  }

  /** Its track is back. */
  forgetEnd(alarmId: string): void {
    this.#added = this.#added.filter(({ alarm_id, type }) => alarm_id !== alarmId || type !== 'ended');
    this.#returned.add(alarmId);
  }

  async write(): Promise<void> {
    const query = this.#query;
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
 * An end cancels no escalation.
 * @returns whether there may be more @throws LeaseLost
 */
export async function announceDue(database: Database, fence: number, nowMs: number): Promise<boolean> {
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
    const targets = await activeTargets(query);
    const writer = new NoticeWriter(query, nowMs);
    const ended = new Set<string>();
    for (const { alarm_id, destination_id, type, zone_id, ...alarm } of rows) {
      await query
        .deleteFrom('later_notice')
        .where('alarm_id', '=', alarm_id)
        .where('destination_id', '=', destination_id)
        .where('type', '=', type)
        .execute();
      const target = targets.get(destination_id);
      if (!target || zone_id === null || (type === 'escalated' && isHandled(alarm, nowMs))) continue;
      if (type === 'ended') ended.add(alarm_id);
      await writer.add(target, { alarmId: alarm_id, zoneId: zone_id, type: type === 'ended' ? 'ended' : 'escalated' });
    }
    await markEndsAnnounced(query, [...ended]);
    await writer.write();
    return rows.length === PAGE;
  });
}

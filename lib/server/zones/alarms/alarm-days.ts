import 'server-only';
import type { Transaction } from 'kysely';
import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { requireLease, type WriterLease } from '../../database/writer-lease.ts';
import type { Part } from '../../supervision/supervisor.ts';

const PRUNED_EVERY_MS = HOUR_MS;
const RETRIED_MS = 15 * SECOND_MS;

export interface AlarmDaysOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly days: number;
  readonly now: () => UpstreamInstant;
  readonly part: Part;
}

/** Deletes, on the writer alone, what is older than the days for which alarms are kept. Keeps open alarms. */
export class AlarmDays {
  readonly #options: AlarmDaysOptions;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: AlarmDaysOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.prune(), PRUNED_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
  }

  /** Keeps revisions in use. Never rejects: the part reports a failure, and a try follows soon. */
  async prune(): Promise<void> {
    clearTimeout(this.#retry);
    const isDone = await this.#options.part.run(() => this.#prune());
    if (!isDone) this.#retry = setTimeout(() => void this.prune(), RETRIED_MS).unref();
  }

  async #prune(): Promise<void> {
    const { database, lease, days, now } = this.#options;
    const { fence } = lease;
    if (fence === undefined) return;
    const beforeMs = Math.floor(epochMs(addMs(now(), -days * DAY_MS)));
    await database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      await query
        .deleteFrom('alarm')
        .where('state', '=', 'ended')
        .where('ended_ms', '<', beforeMs)
        .where('changed_ms', '<', beforeMs)
        .execute();
      await query
        .deleteFrom('alarm_note')
        .where('alarm_id', 'not in', (each) => each.selectFrom('alarm').select('id'))
        .execute();
      await query
        .deleteFrom('alarm_outbox')
        .where('alarm_id', 'not in', (each) => each.selectFrom('alarm').select('id'))
        .execute();
      await deleteOldDeliveries(query, beforeMs);
      await query.deleteFrom('zone_stretch').where('to_ms', '<', beforeMs).execute();
      await query.deleteFrom('permit').where('end_ms', '<', beforeMs).execute();
      await query.deleteFrom('presence').where('to_ms', '<', beforeMs).execute();
      await query.deleteFrom('zone_spent').where('day', '<', new Date(beforeMs).toISOString().slice(0, 10)).execute();
      await query
        .deleteFrom('zone_revision')
        .where('at_ms', '<', beforeMs)
        .where('zone_id', 'not in', (each) => each.selectFrom('zone').select('id'))
        .where('zone_id', 'not in', (each) => each.selectFrom('alarm').select('zone_id'))
        .execute();
      await query
        .deleteFrom('zone_body')
        .where('id', 'not in', (each) => each.selectFrom('zone_revision').select('body_id'))
        .execute();
    });
  }
}

async function deleteOldDeliveries(query: Transaction<Tables>, beforeMs: number): Promise<void> {
  await query.deleteFrom('delivery').where('created_ms', '<', beforeMs).execute();
  await query
    .deleteFrom('delivery_alarm')
    .where('delivery_id', 'not in', (each) => each.selectFrom('delivery').select('id'))
    .execute();
  await query
    .deleteFrom('destination')
    .where('removed', '=', 1)
    .where('id', 'not in', (each) => each.selectFrom('delivery').select('destination_id'))
    .execute();
}

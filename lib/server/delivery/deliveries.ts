import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { deliverySchema, type NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import { isoTime, isoTimeOrNull } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { Query } from '../database/tables.ts';
import { seenAlarms } from '../zones/alarms/alarm-row.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';

const LATEST = 200;

/** Reads which notices were sent, wait or were given up. Methods reject with a `DatabaseFailure` where the database fails. */
export class Deliveries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The deliveries of a destination, also of a removed one, the latest first. */
  async ofDestination(id: string): Promise<readonly NoticeDelivery[]> {
    const rows = await latest(this.#database.query).where('delivery.destination_id', '=', id).execute();
    return rows.map(toDelivery);
  }

  /** The deliveries of an alarm, the latest first. @throws ApiError if the caller sees no such alarm */
  async ofAlarm(caller: ZoneCaller, id: string): Promise<readonly NoticeDelivery[]> {
    const { query } = this.#database;
    const seen = await seenAlarms(query, caller).where('alarm.id', '=', id).executeTakeFirst();
    if (!seen) throw new ApiError('not_found', 'There is no such alarm.');
    const of = query.selectFrom('delivery_alarm').select('delivery_id').where('alarm_id', '=', id);
    const rows = await latest(this.#database.query).where('delivery.id', 'in', of).execute();
    return rows.map(toDelivery);
  }
}

/** The deliveries of several alarms, in the order in which they were made. */
export async function deliveriesOfAlarms(
  query: Query,
  ids: readonly string[],
): Promise<readonly { readonly alarm: string; readonly delivery: NoticeDelivery }[]> {
  if (ids.length === 0) return [];
  const rows = await all(query)
    .innerJoin('delivery_alarm', 'delivery_alarm.delivery_id', 'delivery.id')
    .select('delivery_alarm.alarm_id')
    .where('delivery_alarm.alarm_id', 'in', [...ids])
    .orderBy('delivery.number')
    .execute();
  return rows.map((row) => ({ alarm: row.alarm_id, delivery: toDelivery(row) }));
}

function latest(query: Query) {
  return all(query).orderBy('delivery.number', 'desc').limit(LATEST);
}

function all(query: Query) {
  return query
    .selectFrom('delivery')
    .innerJoin('destination', 'destination.id', 'delivery.destination_id')
    .leftJoin('destination_health', 'destination_health.destination_id', 'delivery.destination_id')
    .selectAll('delivery')
    .select(['destination.name', 'destination.kind', 'destination_health.next_try_ms'])
    .select((each) =>
      each
        .selectFrom('delivery_alarm')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('delivery_alarm.delivery_id', '=', 'delivery.id')
        .as('alarms'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof latest>['execute']>>[number];

function toDelivery(row: Row): NoticeDelivery {
  const isWaiting = row.state === 'waiting';
  return deliverySchema.parse({
    id: row.id,
    destination: { id: row.destination_id, name: row.name, kind: row.kind },
    type: row.type,
    alarms: Number(row.alarms ?? 0),
    state: row.state,
    tries: row.tries,
    problem: row.problem,
    created_at: isoTime(row.created_ms),
    arrived_at: isoTimeOrNull(row.arrived_ms),
    next_try_at: isWaiting ? isoTime(Math.max(row.due_ms, row.aside_until_ms ?? 0, row.next_try_ms ?? 0)) : null,
  });
}

import 'server-only';
import type { Transaction } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';

const ALARMS_TOPIC = 'alarms';

/** Locks the row until the transaction ends: readers of a number see all changes before it. */
export async function changeNumbers(query: Transaction<Tables>, count: number): Promise<number> {
  const { number } = await query
    .updateTable('alarm_change')
    .set((each) => ({ number: each('number', '+', count) }))
    .returning('number')
    .executeTakeFirstOrThrow();
  return number - count + 1;
}

export async function tellAlarms(database: Database, query: Query): Promise<void> {
  await database.tell(query, ALARMS_TOPIC);
}

/** Within a second of a change at any server. @returns unsubscribe */
export function onAlarmsTold(database: Database, changed: () => void): () => void {
  return database.listen(ALARMS_TOPIC, changed);
}

import 'server-only';
import type { Transaction } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Query, Tables } from '../../database/tables/tables.ts';

/** Topic of the notice that alarms have changed. */
const ALARMS_TOPIC = 'alarms';

/**
 * Takes so many numbers for changes of alarms. The row is locked until the transaction ends: who has read a number has seen all changes
 * before it.
 * @returns the first
 */
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

/** Calls `changed` within a second of a change at any server. @returns what ends that */
export function onAlarmsTold(database: Database, changed: () => void): () => void {
  return database.listen(ALARMS_TOPIC, changed);
}

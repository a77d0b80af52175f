import 'server-only';
import type { Transaction } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';

/** @param dueBeforeMs default: all that wait @returns how many */
export async function giveUpWaiting(
  query: Transaction<Tables>,
  destinationId: string,
  problem: string,
  dueBeforeMs?: number,
): Promise<number> {
  const { numUpdatedRows } = await query
    .updateTable('delivery')
    .set({ state: 'given_up', problem })
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .$if(dueBeforeMs !== undefined, (some) => some.where('due_ms', '<', dueBeforeMs ?? 0))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** @returns how many notices were given up */
export async function switchOff(
  query: Transaction<Tables>,
  destinationId: string,
  reason: string,
  nowMs: number,
): Promise<number> {
  await query
    .updateTable('destination')
    .set((each) => ({
      is_on: 0,
      switched_off_ms: nowMs,
      switched_off_reason: reason,
      revision: each('revision', '+', 1),
    }))
    .where('id', '=', destinationId)
    .execute();
  return endDeliveries(query, destinationId, `Switched off: ${reason}`);
}

/** Before it is switched off or removed. @returns how many notices were given up */
export async function endDeliveries(
  query: Transaction<Tables>,
  destinationId: string,
  problem: string,
): Promise<number> {
  await query.deleteFrom('notice_budget').where('destination_id', '=', destinationId).execute();
  await query.deleteFrom('later_notice').where('destination_id', '=', destinationId).execute();
  return giveUpWaiting(query, destinationId, problem);
}

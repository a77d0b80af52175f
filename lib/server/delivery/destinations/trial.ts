import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import { nextNumbers } from '../fan-out/delivery-numbers.ts';

/** Takes the way of any notice, but shows at once whether the destination works again. @returns its id */
export async function writeTrial(query: Transaction<Tables>, destination_id: string, nowMs: number): Promise<string> {
  const id = randomUUID();
  const number = await nextNumbers(query, 1);
  const times = { created_ms: nowMs, due_ms: nowMs, arrived_ms: null };
  await query
    .insertInto('delivery')
    .values({
      id,
      destination_id,
      number,
      type: 'trial',
      group_key: '',
      state: 'waiting',
      ...times,
      tries: 0,
      problem: null,
    })
    .execute();
  await query
    .updateTable('destination_health')
    .set({ next_try_ms: null })
    .where('destination_id', '=', destination_id)
    .execute();
  return id;
}

import 'server-only';
import type { Transaction } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';

/** @returns the first of so many */
export async function nextNumbers(query: Transaction<Tables>, count: number): Promise<number> {
  const { made } = await query
    .updateTable('delivery_cursor')
    .set((each) => ({ made: each('made', '+', count) }))
    .returning('made')
    .executeTakeFirstOrThrow();
  return made - count + 1;
}

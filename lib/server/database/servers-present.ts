import 'server-only';
import { type Kysely, sql } from 'kysely';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DATABASE_NOW_MS } from './database-clock.ts';

export const SEEN_EVERY_MS = 5 * SECOND_MS;
/** A server silent for so long has ended. */
export const PRESENT_MS = 3 * SEEN_EVERY_MS + SECOND_MS;

/** Names of the servers that use a PostgreSQL, of any version of its schema. */
export async function serversPresent(query: Kysely<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from server where name <> '' and seen_ms >= ${DATABASE_NOW_MS} - ${PRESENT_MS} order by name
  `.execute(query);
  return rows.map(({ name }) => name);
}

import 'server-only';
import { sql } from 'kysely';
import type { DialectName } from '../migrations/migration.ts';
import type { Query } from './tables.ts';

/** Another server is the writer: nothing was written. */
export class LeaseLost extends Error {}

/**
 * Lets a change commit only while this server is the writer. In SQLite one server has the file to itself.
 * @throws LeaseLost
 */
export async function requireLease(query: Query, dialect: DialectName, fence: number): Promise<void> {
  if (dialect === 'sqlite') return;
  const { rows } = await sql`select 1 from writer where fence = ${fence} for share`.execute(query);
  if (rows.length === 0) throw new LeaseLost('another server is the writer');
}

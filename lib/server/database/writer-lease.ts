import 'server-only';
import { sql } from 'kysely';
import type { DialectName } from './migrations/migration.ts';
import type { Query } from './tables.ts';

/**
 * The right to be the one server that sends requests, keeps the ledger, plans, and writes. All others are readers; over
 * SQLite there is only one.
 */
export interface WriterLease {
  /** A number greater than those of all earlier writers; `undefined` for a reader. */
  readonly fence: number | undefined;
  /** @returns the end of listening */
  onChange(changed: () => void): () => void;
}

export const ONLY_SERVER: WriterLease = { fence: 1, onChange: () => () => undefined };

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

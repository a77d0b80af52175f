import 'server-only';
import type { Kysely } from 'kysely';

export type DialectName = 'sqlite' | 'postgres';

export interface ColumnTypes {
  /** The type of texts, which are compared by code points, whatever the database's language. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** The keyword for tables that a crash of the database may lose. */
  readonly unlogged: string;
  readonly end: string;
}

export const COLUMN_TYPES: Readonly<Record<DialectName, ColumnTypes>> = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob', unlogged: '', end: 'strict' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea', unlogged: 'unlogged', end: '' },
};

/** One step between two versions of the schema. `frozen.json` has its digest: databases have run it, so it never changes. */
export interface Migration {
  /** Also the name of the version that it makes. Migrations run in the order of names. */
  readonly name: string;
  readonly statements: (types: ColumnTypes) => readonly string[];
  /** Converts rows that SQL alone cannot, after the statements. */
  readonly convert?: (db: Kysely<unknown>) => Promise<void>;
}

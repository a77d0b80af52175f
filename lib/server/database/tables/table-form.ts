import 'server-only';

export type DialectName = 'sqlite' | 'postgres';

export interface TableForm {
  /** Compared by code points, whatever the database's language. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** For what a crash of the database may lose. */
  readonly unlogged: string;
  readonly end: string;
}

export const TABLE_FORMS: Readonly<Record<DialectName, TableForm>> = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob', unlogged: '', end: 'strict' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea', unlogged: 'unlogged', end: '' },
};

export type MakesTables = (form: TableForm) => readonly string[];

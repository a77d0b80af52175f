import 'server-only';

export type DialectName = 'sqlite' | 'postgres';

/** How a dialect writes what both can store. */
export interface TableForm {
  /** Compared by code points, whatever the database's language. */
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** Between `create` and `table`, for what may be lost when the database crashes. */
  readonly unlogged: string;
  /** After the columns. */
  readonly end: string;
}

export const TABLE_FORMS: Readonly<Record<DialectName, TableForm>> = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob', unlogged: '', end: 'strict' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea', unlogged: 'unlogged', end: '' },
};

/** The statements that make the tables of one owner. */
export type MakesTables = (form: TableForm) => readonly string[];

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
  /** Shape and source in `zone_revision.content`. */
  readonly bodyOf: string;
  /** The rest of it. */
  readonly withoutBody: string;
}

export const TABLE_FORMS: Readonly<Record<DialectName, TableForm>> = {
  sqlite: {
    ...{ text: 'text', integer: 'integer', bytes: 'blob', unlogged: '', end: 'strict' },
    bodyOf: `json_object('shape', json_extract(content, '$.shape'), 'source', json_extract(content, '$.source'))`,
    withoutBody: `json_remove(content, '$.shape', '$.source')`,
  },
  postgres: {
    ...{ text: 'text collate "C"', integer: 'bigint', bytes: 'bytea', unlogged: 'unlogged', end: '' },
    bodyOf: `json_build_object('shape', content::json -> 'shape', 'source', content::json -> 'source')::text`,
    withoutBody: `(content::jsonb - 'shape' - 'source')::text`,
  },
};

export type MakesTables = (form: TableForm) => readonly string[];

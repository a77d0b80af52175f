type Row = Readonly<Record<string, unknown>>;

/** Runs one statement; its rows as objects. Rejects with a PostgresFailure if the database is at fault. */
export type Query = <Result extends Row>(sql: string, values?: readonly unknown[]) => Promise<Result[]>;

/** The settings that name a database: `DATA_DIR`, or `DATABASE_URL` beside it. */
export type DatabaseSettings = Readonly<Record<string, string>>;

/** `DATA_DIR`, and perhaps `DATABASE_URL`. */
export type DatabaseSettings = Readonly<Record<string, string>>;

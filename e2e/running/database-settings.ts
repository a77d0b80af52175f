export type DatabaseSettings = Readonly<Record<string, string>>;

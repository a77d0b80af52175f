import 'server-only';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { DatabaseTarget } from '../database/open-database.ts';
import { readPostgresTarget } from '../database/postgres-target.ts';
import { DATABASE_FILE } from '../database/sqlite-file.ts';
import { optionalText, type SettingProblem, unreadable } from './setting-forms.ts';

export const databaseSettings = z.object({
  /**
   * PostgreSQL 15 or newer that several servers share: `postgres://USER@HOST:PORT/DATABASE`, or for the folder of a Unix
   * socket `postgres:///DATABASE?host=/run/postgresql&user=USER`, with the system user by default. Connections to other
   * machines use TLS: `?sslrootcert=FILE` names an authority, `?sslmode=disable` turns TLS off. One host; no passfile.
   * Default: SQLite in `DATA_DIR`.
   */
  DATABASE_URL: optionalText,
  /** File with its password; read at each connection. */
  DATABASE_PASSWORD_FILE: optionalText,
});

type DatabaseSettings = z.infer<typeof databaseSettings>;

export interface DatabaseConfig {
  readonly database: DatabaseTarget;
}

export function* databaseProblems({
  DATABASE_URL: url,
  DATABASE_PASSWORD_FILE: passwordFile,
}: DatabaseSettings): Generator<SettingProblem<DatabaseSettings>> {
  if (url === undefined) {
    if (passwordFile !== undefined)
      yield ['DATABASE_PASSWORD_FILE', 'has no effect without DATABASE_URL; set both or none'];
    return;
  }
  const target = readPostgresTarget(url, passwordFile);
  if (typeof target === 'string') yield ['DATABASE_URL', target];
  const problem = passwordFile === undefined ? undefined : unreadable(passwordFile);
  if (problem) yield ['DATABASE_PASSWORD_FILE', problem];
}

export function databaseConfig(settings: DatabaseSettings & { readonly DATA_DIR: string }): DatabaseConfig {
  const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: passwordFile, DATA_DIR: dataDir } = settings;
  const target = url === undefined ? undefined : readPostgresTarget(url, passwordFile);
  return {
    database: typeof target === 'object' ? target : { dialect: 'sqlite', file: join(resolve(dataDir), DATABASE_FILE) },
  };
}

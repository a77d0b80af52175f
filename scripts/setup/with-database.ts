import { dirname } from 'node:path';
import type { Database } from '#lib/server/database/database.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { databaseConfig, databaseProblems, databaseSettings } from '#lib/server/settings/database-settings.ts';
import { makeFolders } from '#lib/server/stores/make-folders.ts';

/**
 * Uses the database of a Lookout with these settings, while it runs or not. Makes it where there is none.
 * @throws Error that says what to do
 */
export async function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const settings = databaseSettings.parse(environment);
  const problems = [...databaseProblems(settings)];
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.join(' ')).join('\n'));
  const { database: target } = databaseConfig({ ...settings, DATA_DIR: environment.DATA_DIR?.trim() || 'data' });
  if (target.dialect === 'sqlite') makeFolders(dirname(target.file), 0o700);
  const database = await openDatabase(target);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

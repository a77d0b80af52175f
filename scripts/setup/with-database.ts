import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { dataDirProblem, makeFolders, refuseOldDataDir } from '#lib/server/database/data-dir.ts';
import type { Database } from '#lib/server/database/database.ts';
import { type DatabaseTarget, openDatabase } from '#lib/server/database/open-database.ts';
import { databaseConfig, databaseProblems, databaseSettings } from '#lib/server/settings/server-settings.ts';

/**
 * While Lookout runs or not.
 * @param makes a missing database
 * @throws Error that says what to do
 */
export async function withDatabase<Result>(
  environment: NodeJS.ProcessEnv,
  use: (database: Database) => Promise<Result>,
  makes = true,
): Promise<Result> {
  const target = configuredDatabase(environment);
  if (target.dialect === 'sqlite') {
    const dataDir = dirname(target.file);
    refuseOtherUser(dataDir);
    if (!makes && !existsSync(target.file))
      throw new Error(`There is no database at ${target.file}: set DATA_DIR or DATABASE_URL as for Lookout itself.`);
    try {
      makeFolders(dataDir, 0o700);
    } catch (error) {
      throw dataDirProblem(dataDir, error) ?? error;
    }
    refuseOldDataDir(dataDir);
  }
  const database = await openDatabase(target);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** @throws Error that says what to correct */
export function configuredDatabase(environment: NodeJS.ProcessEnv): DatabaseTarget {
  const settings = databaseSettings.parse(environment);
  const problems = [...databaseProblems(settings)];
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.join(' ')).join('\n'));
  return databaseConfig({ ...settings, DATA_DIR: environment.DATA_DIR?.trim() || 'data' }).database;
}

/** A missing folder and a read-only disk are no other user's. */
function refuseOtherUser(dataDir: string): void {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new Error(
        `DATA_DIR ${dataDir} is another user’s: run this as the user of Lookout, such as sudo -u lookout.`,
      );
  }
}

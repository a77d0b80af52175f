import 'server-only';
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DatabaseFailure } from '../database-failure.ts';
import { migrations } from './migrations.ts';
import type { DialectName } from './table-form.ts';

/**
 * Several processes may migrate at once.
 * @throws DatabaseFailure
 */
export async function migrate<Tables>(query: Kysely<Tables>, dialect: DialectName, where: string): Promise<void> {
  const migrator = new Migrator({
    db: query,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /previously executed migration/.test(error.message)) {
    throw new DatabaseFailure(
      'damaged',
      `${where} has tables of a newer release of Lookout: start that release, or restore the backup that was made before it.`,
      error,
    );
  }
  throw error instanceof Error && 'error' in error ? error.error : error;
}

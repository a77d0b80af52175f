import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

/** A database without a file, for tests of what stands above. */
export function memoryDatabase(): Promise<Database> {
  return openDatabase({ dialect: 'sqlite', file: ':memory:' });
}

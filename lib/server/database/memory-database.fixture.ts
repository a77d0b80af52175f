import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

export function memoryDatabase(): Promise<Database> {
  return openDatabase({ dialect: 'sqlite', file: ':memory:' });
}

import { DatabaseSync } from 'node:sqlite';
import { storageFailure } from './storage-failure.ts';

const BUSY_TIMEOUT_MS = 2000;

export interface ServeLock {
  release(): void;
}

/**
 * SQLite's lock ends with the process. Commands don't need it.
 * @throws Error that says what to do
 */
export function lockForServing(file: string, directory: string): ServeLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // A journal in memory needs no room on disk.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database?.close();
    switch (storageFailure(error)) {
      case 'in-use':
        throw new Error(`Another service uses --data ${directory}: stop that one, or give this one another directory.`);
      case 'damaged':
        throw new Error(`${file} is not a lock of the service: delete it, and start again.`);
      case 'full':
        throw new Error(`The disk of ${file} is full: make room, and start again.`);
      default:
        throw new Error(`${file} cannot be written: ${(error as Error).message}. Let this user write the directory.`);
    }
  }
  const locked = database;
  return { release: () => locked.close() };
}

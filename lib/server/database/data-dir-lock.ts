import 'server-only';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataDirProblem } from './data-dir-problem.ts';
import { makeFolders } from './make-folders.ts';
import { restrictToOwner } from './restrict-to-owner.ts';
import { storageProblem } from './storage-problem.ts';

/** For a process that is stopping. */
const BUSY_TIMEOUT_MS = 2000;

export interface DataDirLock {
  release(): void;
}

/**
 * SQLite's lock ends with the process, however it ends.
 * @throws Error that says what to do
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = resolve(dataDir);
  try {
    makeFolders(path, 0o700);
    restrictToOwner(path);
  } catch (error) {
    throw (
      dataDirProblem(path, error) ??
      new Error(
        `DATA_DIR names ${path}, which cannot be created or read; set DATA_DIR to a writable directory: ${error}`,
      )
    );
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(path, 'in-use.lock'), { timeout: BUSY_TIMEOUT_MS });
    // A journal in memory needs no room on disk.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database?.close();
    switch (storageProblem(error)) {
      case 'in-use':
        throw new Error(`Another Lookout uses DATA_DIR ${path}: stop that one, or give this one another DATA_DIR.`);
      case 'damaged':
        throw new Error(`${join(path, 'in-use.lock')} is not a lock of Lookout’s: delete it, and start again.`);
      default:
        throw dataDirProblem(path, error) ?? error;
    }
  }
  const locked = database;
  return { release: () => locked.close() };
}

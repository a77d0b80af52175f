// DATA_DIR: one process of Lookout has the folder, for its user alone. Every refusal says what to do; files of others stay
// as they are.
import 'server-only';
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storageProblem } from './database-failure.ts';
import { refuseInterruptedRestore } from './restored-data-dir.ts';

const OLD = /^(?:(?:audit|sessions|views|(?:history|ledger)-[0-9a-f]{8})\.sqlite|demand-profile\.json)$/;

/**
 * Refuses a folder of an earlier release: its operators, views, audit and ledger would silently be gone. So would those
 * of one that a restore has not finished.
 * @throws Error that says what to do
 */
export function refuseOldDataDir(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  refuseInterruptedRestore(dataDir);
  const old = readdirSync(dataDir).filter((name) => OLD.test(name));
  if (old.length === 0) return;
  throw new Error(
    `DATA_DIR ${dataDir} has files of an earlier Lookout, which this one does not read: ${old.sort().join(', ')}. Set DATA_DIR to a new folder, or move these files away and begin without what is in them.`,
  );
}

export const DATA_DIR_LOCK = 'in-use.lock';
/** The lock waits so long for a process that is stopping. */
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
    database = new DatabaseSync(join(path, DATA_DIR_LOCK), { timeout: BUSY_TIMEOUT_MS });
    // A journal in memory needs no room on disk.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database?.close();
    switch (storageProblem(error)) {
      case 'in-use':
        throw new Error(`Another Lookout uses DATA_DIR ${path}: stop that one, or give this one another DATA_DIR.`);
      case 'damaged':
        throw new Error(`${join(path, DATA_DIR_LOCK)} is not a lock of Lookout’s: delete it, and start again.`);
      default:
        throw dataDirProblem(path, error) ?? error;
    }
  }
  const locked = database;
  return { release: () => locked.close() };
}

/** Whether a Lookout runs with this folder. */
export function isDataDirInUse(dataDir: string): boolean {
  return isLocked(join(dataDir, DATA_DIR_LOCK));
}

/** Whether a process holds the lock of a file of SQLite. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    lock.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    return storageProblem(error) === 'in-use';
  } finally {
    lock?.close();
  }
}

/**
 * Node's `recursive` never returns under /proc.
 * @param path absolute
 * @throws Error of the file system
 */
export function makeFolders(path: string, mode: number): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const OURS = /^(?:[\w-]+\.sqlite\b.*|session-secret|in-use\.lock.*)$/;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Files of Lookout’s in its folder, which are for its user alone. */
export function isOurs(name: string): boolean {
  return OURS.test(name);
}

/** Leaves a directory of another user, and a shared one such as /tmp. */
export function restrictToOwner(directory: string): void {
  if ((lstatSync(directory).mode & STICKY) === 0) restrict(directory, 0o700);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (isOurs(name) && lstatSync(path).isFile()) restrict(path, 0o600);
  }
}

function restrict(path: string, mode: number): void {
  if ((lstatSync(path).mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/**
 * @param error may have the error of the file system or of SQLite as its cause
 * @returns `undefined` for other errors, and for files elsewhere
 */
export function dataDirProblem(dataDir: string, error: unknown): Error | undefined {
  const path = resolve(dataDir);
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (isElsewhere(path, origin)) return undefined;
  const because = `(${origin instanceof Error ? origin.message : String(origin)})`;
  switch (storageProblem(origin)) {
    case 'full':
      return new Error(`The disk of DATA_DIR ${path} is full: make room on it, and start again ${because}.`);
    case 'denied':
      return new Error(
        isReadOnly(path, origin)
          ? `DATA_DIR ${path} is read-only: mount its disk writable, or set DATA_DIR to a folder that can be written ${because}.`
          : `DATA_DIR ${path} cannot be written: let the user of Lookout write it, or set DATA_DIR to a folder that can be written ${because}.`,
      );
    default:
      return undefined;
  }
}

/** SQLite's errors name no file, and are of files in the folder. */
function isElsewhere(dataDir: string, error: unknown): boolean {
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  // Making the folder fails at the folder, or at one above it.
  return (
    typeof path === 'string' && relative(dataDir, path).startsWith('..') && relative(path, dataDir).startsWith('..')
  );
}

function isReadOnly(dataDir: string, error: unknown): boolean {
  if (error instanceof Error && 'code' in error && error.code === 'EROFS') return true;
  try {
    accessSync(dataDir, constants.W_OK);
    return false;
  } catch (refusal) {
    return (refusal as NodeJS.ErrnoException).code === 'EROFS';
  }
}

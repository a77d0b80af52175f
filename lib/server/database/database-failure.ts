import 'server-only';
import { ApiError, isApiError } from '#lib/api/error-code.ts';

/**
 * Problems of a database, and of a file in its folder.
 * - `damaged`: its content cannot be read.
 * - `denied`: it cannot be opened or written, whatever it contains.
 * - `other-schema`: its content is whole, and not what this build reads.
 */
export type StorageProblem = 'damaged' | 'full' | 'in-use' | 'denied' | 'other-schema';

/** `lost`: PostgreSQL cannot be reached, or refuses writes until a standby is promoted. */
export type DatabaseProblem = StorageProblem | 'lost';

/** Instrumentation and route handlers have separate copies of this class; the symbol is shared. */
const brand = Symbol.for('lookout.database-failure');

/** The message says what an administrator can do. Nothing was changed, except perhaps if `lost`. */
export class DatabaseFailure extends Error {
  readonly [brand] = true;
  readonly kind: DatabaseProblem;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && brand in value;
  }

  constructor(kind: DatabaseProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Receives the outcome of each statement. */
export interface Outcomes {
  /** The failure that is set for good once no statement may run any more but a rollback. */
  readonly stopped?: Error | undefined;
  succeeded(): void;
  /** @returns what to throw in place of the driver's error */
  failed(error: unknown): unknown;
}

const RETRY_AFTER_S = 5;

/** Operators read this in place of a `DatabaseFailure`, whose message is for administrators. Returns other errors unchanged. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof DatabaseFailure)) return error;
  if (error.kind === 'lost') return lostRefusal();
  if (error.kind === 'in-use') return new ApiError('database_busy', storageFailureText(error.kind), RETRY_AFTER_S);
  return new ApiError('storage_failed', storageFailureText(error.kind));
}

/** Whether PostgreSQL could not be reached, so that the same may succeed in a few seconds. */
export function isLost(error: unknown): boolean {
  const refusal = asRefusal(error);
  return isApiError(refusal) && refusal.code === 'database_lost';
}

export function lostRefusal(): ApiError {
  return new ApiError(
    'database_lost',
    'Lookout’s database cannot be reached: changes and sign-in are not available. Try again in a few seconds.',
    RETRY_AFTER_S,
  );
}

function storageFailureText(problem: StorageProblem): string {
  switch (problem) {
    case 'full':
      return 'The disk of Lookout’s server is full; nothing was changed.';
    case 'in-use':
      return 'Another process is changing the same data, or has locked it; nothing was changed. Try again in a few seconds.';
    case 'damaged':
      return 'A file of Lookout’s server is damaged; nothing was changed. Its log says which.';
    case 'other-schema':
      return 'The tables of Lookout’s server are of another version; nothing was changed. Its log says what to do.';
    case 'denied':
      return 'Lookout’s server cannot write its files; nothing was changed. Its log says why.';
  }
}

/** A statement met other tables than those that the start found. */
export function misfitText(where: string, because: string): string {
  return `${where} has other tables than this Lookout needs (${because}). Its data was left as it is: start Lookout again, which compares them and says what to do.`;
}

export class DamagedStore extends Error {}
/** A whole file of another program. */
export class ForeignStore extends Error {}

/** Primary result codes, https://www.sqlite.org/rescode.html; all others mean that the file cannot be used. */
const SQLITE: Readonly<Record<number, StorageProblem>> = {
  5: 'in-use', // BUSY
  6: 'in-use', // LOCKED
  11: 'damaged', // CORRUPT
  13: 'full', // FULL
  26: 'damaged', // NOTADB
};
/** ERROR: a defect, unless it is about tables. */
const SQLITE_ERROR = 1;
const SQLITE_CONSTRAINT = 19;
const ABOUT_TABLES = /^(?:no such (?:table|column|index)|duplicate column name)|has no column named|already exists$/;
/** The log's index could not grow, as on a full disk. */
const SQLITE_IOERR_SHMSIZE = 10 | (19 << 8);

/** @returns `undefined` for errors that are neither of SQLite nor of the file system */
export function storageProblem(error: unknown): StorageProblem | undefined {
  if (error instanceof DamagedStore) return 'damaged';
  if (error instanceof ForeignStore) return 'other-schema';
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') {
    if (error.errcode === SQLITE_IOERR_SHMSIZE) return 'full';
    if (error.errcode === SQLITE_ERROR) return ABOUT_TABLES.test(error.message) ? 'other-schema' : undefined;
    return SQLITE[error.errcode & 0xff] ?? 'denied';
  }
  if (!('syscall' in error) || !('code' in error)) return undefined;
  return error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'full' : 'denied';
}

/** Returns other errors, and violated constraints, unchanged. */
export function sqliteFailure(error: unknown, file: string): unknown {
  const problem = storageProblem(error);
  if (problem === undefined || isConstraint(error)) return error;
  if (error instanceof ForeignStore)
    return new DatabaseFailure(
      problem,
      `${file} is the database of another program, and was left as it is: move it away, or set another DATA_DIR.`,
      error,
    );
  return new DatabaseFailure(problem, sqliteText(problem, file, (error as Error).message), error);
}

function sqliteText(problem: StorageProblem, file: string, because: string): string {
  switch (problem) {
    case 'damaged':
      return `${file} is damaged (${because}). It was left as it is: put the latest backup in its place, or move it away to begin without operators, views, audit and ledger.`;
    case 'full':
      return `The disk of ${file} is full: make room on it (${because}).`;
    case 'in-use':
      return `Another process is changing ${file}: try again (${because}).`;
    case 'other-schema':
      return misfitText(file, because);
    case 'denied':
      return `${file} cannot be read or written: let the user of Lookout write it and its folder (${because}).`;
  }
}

function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_CONSTRAINT;
}

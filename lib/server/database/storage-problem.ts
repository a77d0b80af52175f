import 'server-only';

/**
 * - `damaged`: its content cannot be read.
 * - `denied`: it cannot be opened or written, whatever it contains.
 * - `other-schema`: its content is whole, and not what this build reads.
 */
export type StorageProblem = 'damaged' | 'full' | 'in-use' | 'denied' | 'other-schema';

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
const ABOUT_TABLES = /^(?:no such (?:table|column|index)|duplicate column name)|has no column named|already exists$/;
/** The log's index could not grow, as on a full disk. */
const SQLITE_IOERR_SHMSIZE = 10 | (19 << 8);

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

export function storageFailureText(problem: StorageProblem): string {
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

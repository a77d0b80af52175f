import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorMessage } from '#lib/text/error-message.ts';

/** Primary result codes of SQLite, https://www.sqlite.org/rescode.html. */
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
/** The log's index could not grow, as on a full disk. */
const IOERR_SHMSIZE = 10 | (19 << 8);

/**
 * - `damaged`: its content is not ours, or broken.
 * - `denied`: it cannot be opened or written, whatever it contains.
 */
type StorageFailure = 'damaged' | 'full' | 'in-use' | 'denied';

/** Why SQLite or the file system failed; `undefined` for other errors. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') {
    if (error.errcode === IOERR_SHMSIZE) return 'full';
    switch (error.errcode & 0xff) {
      case BUSY:
      case LOCKED:
        return 'in-use';
      case FULL:
        return 'full';
      case CORRUPT:
      case NOT_A_DATABASE:
        return 'damaged';
      default:
        return 'denied';
    }
  }
  if (!('syscall' in error) || !('code' in error)) return undefined;
  return error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'full' : 'denied';
}

/** Adds to a failed start what to do about a full or read-only disk. Other failures stay as they are. */
export function startFailure(directory: string, failure: unknown): unknown {
  const because = errorMessage(failure);
  if (isReadOnly(directory)) {
    return new Error(`${directory} is on a read-only disk: mount it writable, and start again (${because}).`);
  }
  const isFull = [failure, failure instanceof Error && failure.cause].some((each) => storageFailure(each) === 'full');
  if (isFull) {
    return new Error(`The disk of ${directory} is full: make room on it, and start again (${because}).`);
  }
  return failure;
}

/** A missing directory counts as the one above it, in which it would be made. */
function isReadOnly(directory: string): boolean {
  let present = resolve(directory);
  while (!existsSync(present)) present = dirname(present);
  try {
    accessSync(present, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

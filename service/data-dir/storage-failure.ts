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
export type StorageFailure = 'damaged' | 'full' | 'in-use' | 'denied';

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

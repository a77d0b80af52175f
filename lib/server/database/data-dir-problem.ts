import 'server-only';
import { accessSync, constants } from 'node:fs';
import { relative, resolve } from 'node:path';
import { storageProblem } from './storage-problem.ts';

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

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { storageFailure } from './storage-failure.ts';

/** Why a service cannot start over a directory: names the directory and what to do where its disk is full or read-only. */
export function startFailure(directory: string, failure: unknown): unknown {
  const because = failure instanceof Error ? failure.message : String(failure);
  if (isReadOnly(directory)) {
    return new Error(`${directory} is on a read-only disk: mount it writable, and start again (${because}).`);
  }
  const isFull = [failure, failure instanceof Error && failure.cause].some((each) => storageFailure(each) === 'full');
  if (isFull) {
    return new Error(`The disk of ${directory} is full: make room on it, and start again (${because}).`);
  }
  return failure;
}

/** Of a directory that is missing, the one above counts: it would be made there. */
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

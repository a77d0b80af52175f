import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { storageFailure } from './storage-failure.ts';

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

/** A missing directory would be made in the one above. */
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

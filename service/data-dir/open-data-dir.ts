import { join } from 'node:path';
import { makePrivateDir, makePrivateFile } from './private-dir.ts';
import { keepReferenceSecret } from './reference-secret.ts';
import { lockForServing } from './serve-lock.ts';

export interface DataDir {
  readonly path: string;
  readonly referenceSecret: Uint8Array;
  release(): void;
}

export function accountsFileIn(path: string): string {
  return join(path, 'accounts.sqlite');
}

export function referenceSecretFileIn(path: string): string {
  return join(path, 'reference-secret');
}

/**
 * For the one service that runs over it.
 * @throws Error that says what to do
 */
export function openDataDir(path: string): DataDir {
  makePrivateDir(path);
  const lockFile = join(path, 'serve.lock');
  const lock = lockForServing(lockFile, path);
  try {
    makePrivateFile(lockFile);
    return { path, referenceSecret: keepReferenceSecret(referenceSecretFileIn(path)), release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

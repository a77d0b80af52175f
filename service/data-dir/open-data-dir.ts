import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OtherVersion, versionedLine, versionedLineText } from '#lib/version/file-version.ts';
import { makePrivateDir, makePrivateFile } from './private-dir.ts';
import { storageFailure } from './storage-failure.ts';

interface DataDir {
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
 * Opens the directory for the one service that runs over it. It is private to its user, and locked until `release`. The
 * secret of the track references is made at the first start, and never changes.
 * @throws Error that says what to do
 */
export function openDataDir(path: string): DataDir {
  makePrivateDir(path);
  const lockFile = join(path, 'serve.lock');
  const lock = lockForServing(lockFile, path);
  try {
    makePrivateFile(lockFile);
    return { referenceSecret: keepReferenceSecret(referenceSecretFileIn(path)), release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const BUSY_TIMEOUT_MS = 2000;

/**
 * SQLite's lock ends with the process. Commands don't need it.
 * @throws Error that says what to do
 */
export function lockForServing(file: string, directory: string): { release(): void } {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // A journal in memory needs no room on disk.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database?.close();
    switch (storageFailure(error)) {
      case 'in-use':
        throw new Error(`Another service uses --data ${directory}: stop that one, or give this one another directory.`);
      case 'damaged':
        throw new Error(`${file} is not a lock of the service: delete it, and start again.`);
      case 'full':
        throw new Error(`The disk of ${file} is full: make room, and start again.`);
      default:
        throw new Error(`${file} cannot be written: ${(error as Error).message}. Let this user write the directory.`);
    }
  }
  const locked = database;
  return { release: () => locked.close() };
}

const SECRET_BYTES = 32;
const SECRET_VERSION = 1;

/**
 * The file has 32 bytes as `1:` and 64 hex digits. A new one is written whole or not at all.
 * @throws Error that says what to do
 */
function keepReferenceSecret(file: string): Uint8Array {
  let text: string;
  try {
    text = versionedLineText(readFileSync(file, 'utf8'), SECRET_VERSION);
    makePrivateFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return makeSecret(file);
    if (error instanceof OtherVersion)
      throw new Error(error.text(file, 'start that Lookout, or restore it from a backup of before'));
    throw new Error(`${file} cannot be read: ${(error as Error).message}. Let this user read it.`);
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(
      `${file} is damaged: it must be ${2 * SECRET_BYTES} hex digits. Restore it from a backup; without one, delete it, and every track gets a new reference.`,
    );
  }
  return Buffer.from(text, 'hex');
}

function makeSecret(file: string): Uint8Array {
  const secret = randomBytes(SECRET_BYTES);
  const unfinished = `${file}.new`;
  try {
    rmSync(unfinished, { force: true });
    const descriptor = openSync(unfinished, 'wx', 0o600);
    try {
      writeSync(descriptor, versionedLine(SECRET_VERSION, secret.toString('hex')));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, file);
  } catch (error) {
    throw new Error(
      `${file} cannot be written: ${(error as Error).message}. Make room, or let this user write the directory.`,
    );
  }
  return secret;
}

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { makePrivateFile } from './private-dir.ts';

const BYTES = 32;

/**
 * 32 bytes as 64 hex digits, written whole or not at all.
 * @throws Error that says what to do
 */
export function keepReferenceSecret(file: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
    makePrivateFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return makeSecret(file);
    throw new Error(`${file} cannot be read: ${(error as Error).message}. Let this user read it.`);
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(
      `${file} is damaged: it must be ${2 * BYTES} hex digits. Restore it from a backup; without one, delete it, and every track gets a new reference.`,
    );
  }
  return Buffer.from(text, 'hex');
}

function makeSecret(file: string): Uint8Array {
  const secret = randomBytes(BYTES);
  const unfinished = `${file}.new`;
  try {
    rmSync(unfinished, { force: true });
    const descriptor = openSync(unfinished, 'wx', 0o600);
    try {
      writeSync(descriptor, `${secret.toString('hex')}\n`);
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

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { OtherVersion, versionedLine, versionedLineText } from '#lib/version/file-version.ts';
import { makePrivateFile } from './private-dir.ts';

const BYTES = 32;
const VERSION = 1;

/**
 * 32 bytes as `1:` and 64 hex digits, written whole or not at all.
 * @throws Error that says what to do
 */
export function keepReferenceSecret(file: string): Uint8Array {
  let text: string;
  try {
    text = versionedLineText(readFileSync(file, 'utf8'), VERSION);
    makePrivateFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return makeSecret(file);
    if (error instanceof OtherVersion)
      throw new Error(error.text(file, 'start that Lookout, or restore it from a backup of before'));
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
      writeSync(descriptor, versionedLine(VERSION, secret.toString('hex')));
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

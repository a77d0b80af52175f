import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes to a temporary file and renames it, so that a reader or a later run never sees a partial file. */
export function writeFileWhole(file: string, content: Uint8Array | string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.part`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}

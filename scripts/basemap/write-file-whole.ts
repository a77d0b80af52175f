import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Renames a temporary file, so that no reader sees a partial one. */
export function writeFileWhole(file: string, content: Uint8Array | string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.part`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}

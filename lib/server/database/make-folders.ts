import 'server-only';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the directory and those above it that are missing. Node's own `recursive` never returns under /proc, where
 * nothing can be made and the reason given is that the directory above is missing.
 * @param path absolute
 * @throws Error of the file system
 */
export function makeFolders(path: string, mode: number): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

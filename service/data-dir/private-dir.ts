import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * A shared directory such as /tmp, or another user's, keeps its mode.
 * @throws Error that says what to do
 */
export function makePrivateDir(path: string): void {
  try {
    makeFolders(resolve(path));
    if (!statSync(path).isDirectory()) throw new Error('it is a file');
    closeToOthers(path, 0o700);
  } catch (error) {
    throw new Error(
      `${path} cannot be made or read: ${(error as Error).message}. Write a directory that this user may write.`,
    );
  }
}

/** Node's `recursive` never returns under /proc. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function makePrivateFile(path: string): void {
  if (existsSync(path)) closeToOthers(path, 0o600);
}

function closeToOthers(path: string, mode: number): void {
  // `statSync` follows links, as chmod does.
  const present = statSync(path).mode;
  if ((present & OTHERS) === 0 || (present & STICKY) !== 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
